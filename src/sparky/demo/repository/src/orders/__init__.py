from orders.pricing import discounted, total
