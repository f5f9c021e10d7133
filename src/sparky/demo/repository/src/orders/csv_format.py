from orders.formats import FORMATS

FORMATS["csv"] = ",".join
