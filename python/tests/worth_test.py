"""What is worth training, from Python: the answers of the program, and gains of one's own."""

import json

import numpy as np

import poet
from case import Case, run_tests

ASKED = {"batch_size": 4, "parts": "whole", "gain_batches": 2, "points": 2, "tries": 2, "time_limit_s": 60}


class Worth(Case):
    def data(self):
        draws = np.random.default_rng(1)
        return draws.normal(size=(16, 1, 8, 8)), draws.integers(0, 10, 16)

    def worth(self, **options):
        return poet.worth("digits-cnn", "m4", **{**ASKED, "ram_budget": 1_000_000, "data": self.data(), **options})

    def test_says_what_each_choice_gains_and_takes(self):
        told = []
        answer = self.worth(progress=told.append)
        self.assertEqual((answer.format, answer.best, answer.ram_budget_bytes), ("poet-worth", "all", 1_000_000))
        gains = [choice["gain"] for choice in answer.choices]
        self.assertEqual(gains, sorted(gains, reverse=True))
        self.assertEqual([news for news in told if news["train"] is None], [{"done": k, "all": 2, "train": None} for k in range(2)])
        self.assertLessEqual({choice["train"] for choice in answer.choices}, {news["train"] for news in told})
        self.assertIn("Worth most in 1,000,000 bytes of RAM: --train all", str(answer))
        self.assertIn("<svg", answer.report_html(self.folder / "worth.html"))
        self.assertEqual(answer.report_html(), (self.folder / "worth.html").read_text(encoding="utf-8"))
        # As poet.minimum() says it.
        last = next(choice for choice in answer.choices if choice["train"] == "last:1")
        least = poet.minimum("digits-cnn", "m4", batch_size=4, parts="whole", train="last:1")
        self.assertEqual(last["least_bytes"], least.found_bytes)

    def test_takes_gains_as_a_dict_or_a_file(self):
        measured = self.worth()
        measured.save_gains(self.folder / "gains.json")
        for gains in (measured.gains, self.folder / "gains.json"):
            again = self.worth(gains=gains, gain_batches=None)
            self.assertEqual([choice["gain"] for choice in again.choices], [choice["gain"] for choice in measured.choices])
        of_mine = self.worth(gains={"format": "poet-gains", "version": 1, "gains": {"fc.bias": 1}}, gain_batches=None)
        self.assertEqual(of_mine.best, "bias")

    def test_nothing_that_fits_is_an_answer(self):
        answer = self.worth(ram_budget=1000)
        self.assertIsNone(answer.best)
        self.assertFalse(any(choice["fits"] for choice in answer.choices))

    def test_refuses_what_the_program_refuses(self):
        with self.assertRaisesRegex(poet.Error, "^ram_budget must be in bytes here"):
            self.worth(ram_budget="50%")
        with self.assertRaisesRegex(poet.Error, r"poet.worth\(\) has no option 'out_gains'"):
            self.worth(out_gains="gains.json")

    def test_trains_what_is_worth_it(self):
        answer = self.worth(ram_budget=poet.minimum("digits-cnn", "m4", batch_size=4, parts="whole", train="last:1").found_bytes)
        trained = poet.train("digits-cnn", data=self.data(), batch_size=4, train=answer.best, steps=2, storage=self.folder,
                             keep_plans=False)
        self.assertEqual(json.loads(trained.to_json())["train"], answer.best)


if __name__ == "__main__":
    run_tests()
