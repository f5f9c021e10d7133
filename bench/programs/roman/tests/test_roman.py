import unittest

from roman import to_roman


class TestRoman(unittest.TestCase):
    def test_plain(self) -> None:
        self.assertEqual(to_roman(1666), "MDCLXVI")
        self.assertEqual(to_roman(3), "III")

    def test_by_subtraction(self) -> None:
        for number, numeral in [(4, "IV"), (49, "XLIX"), (1994, "MCMXCIV")]:
            self.assertEqual(to_roman(number), numeral)

    def test_out_of_range(self) -> None:
        with self.assertRaises(ValueError):
            to_roman(4000)
        self.assertRaises(ValueError, to_roman, 0)
