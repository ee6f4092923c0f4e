"""Texts to learn from: tokens by a naive tokenizer of its own, masks by PyTorch's losses, and text that a network writes."""

import json
import os
import random
import struct
import unicodedata
import unittest

import program
from program import poet

from weights_test import read
from zoo_test import decoder, torch

END = "<|endoftext|>"
NETWORK = ["--model", "llama-tiny", "--sequence-length", "8"]

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LATER = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA3, QWEN2 = LATER % "{1,3}", LATER % ""

SENTENCES = ["The quick brown fox jumps over the lazy dog.", "It's what they'd said: we'll see, I'M sure!", "1234567 apples at 3.14 each\r\n\r\n  (ok?)",
             "naïve café — “quotes” … 東京は夜の七時です", "Привет, мир! Здравствуй", "for (int i = 0; i < n; ++i)\n\t\tsum += a[i];\n", "😀👩‍👩‍👧 e\u0301 a\u030a ½ Ⅳ ٣",
             "   leading and trailing   ", "tabs\tand\u00a0no-break\u2003spaces\u3000here\u0085x\u180ey", "'ſ 'K don’t DON'T"]


# --- A tokenizer that is as simple as can be

def letters():
    """The character that stands for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte if byte in printable else 256 + rest.index(byte)) for byte in range(256)}


LETTERS = letters()


def is_space(c):
    return c in "\t\n\v\f\r\u0085" or unicodedata.category(c)[0] == "Z"


def is_letter(c):
    return unicodedata.category(c)[0] == "L"


def is_number(c):
    return unicodedata.category(c)[0] == "N"


def is_other(c):
    return not (is_space(c) or is_letter(c) or is_number(c))


def run(text, i, kind, most=None):
    j = i
    while j < len(text) and kind(text[j]) and (most is None or j - i < most):
        j += 1
    return j


def blanks_before_a_word(text, i):
    j = run(text, i, is_space)
    return j - 1 if j < len(text) and j - i > 1 else j


def contraction(text, i, fold):
    for end in ("s", "t", "re", "ve", "m", "ll", "d"):
        if text[i] == "'" and fold(text[i + 1:i + 1 + len(end)]) == end:
            return i + 1 + len(end)
    return i


def gpt2_word(text, i):
    j = contraction(text, i, str)
    if j > i:
        return j
    for kind in (is_letter, is_number, is_other):
        begin = i + 1 if text[i] == " " else i
        if run(text, begin, kind) > begin:
            return run(text, begin, kind)
    return blanks_before_a_word(text, i)


def later_word(text, i, digits):
    j = contraction(text, i, str.casefold)
    if j > i:
        return j
    begin = i + 1 if text[i] not in "\r\n" and not is_letter(text[i]) and not is_number(text[i]) else i
    if run(text, begin, is_letter) > begin:
        return run(text, begin, is_letter)
    if run(text, i, is_number, digits) > i:
        return run(text, i, is_number, digits)
    begin = i + 1 if text[i] == " " else i
    j = run(text, begin, is_other)
    if j > begin:
        return run(text, j, lambda c: c in "\r\n")
    j = run(text, i, is_space)
    ends = [k + 1 for k in range(i, j) if text[k] in "\r\n"]
    return ends[-1] if ends else blanks_before_a_word(text, i)


WORD = {"gpt2": gpt2_word, "llama3": lambda text, i: later_word(text, i, 3), "qwen2": lambda text, i: later_word(text, i, 1)}


def words(text, style):
    i = 0
    while i < len(text):
        j = WORD[style](text, i)
        yield text[i:j]
        i = j


def merged(symbols, ranks):
    """One merge at a time: of the lowest rank, the first of these."""
    while True:
        found = [(ranks[pair], k) for k, pair in enumerate(zip(symbols, symbols[1:])) if pair in ranks]
        if not found:
            return symbols
        k = min(found)[1]
        symbols = [*symbols[:k], symbols[k] + symbols[k + 1], *symbols[k + 2:]]


def as_letters(word):
    return [LETTERS[byte] for byte in word.encode()]


def learnt_merges(texts, style, count):
    """The commonest pair becomes one, again and again."""
    rows = [as_letters(word) for text in texts for word in words(text, style)]
    merges = []
    for _ in range(count):
        counts = {}
        for row in rows:
            for pair in zip(row, row[1:]):
                counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        rows = [merged(row, {best: 0}) for row in rows]
    return merges


def pre_tokenizer(style):
    if style == "gpt2":
        return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    split = {"type": "Split", "pattern": {"Regex": LLAMA3 if style == "llama3" else QWEN2}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                                                         "use_regex": False}]}


class Naive:
    """A vocabulary and what it makes of texts; `file` is its tokenizer.json."""

    def __init__(self, style, merges):
        self.style = style
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        names = [LETTERS[byte] for byte in range(256)] + [a + b for a, b in merges]
        self.vocabulary = {name: token for token, name in enumerate(dict.fromkeys(names))}
        self.end = len(self.vocabulary)
        pairs = style == "llama3"
        self.file = {"version": "1.0", "truncation": None, "padding": None,
                     "added_tokens": [{"id": self.end, "content": END, "single_word": False, "lstrip": False, "rstrip": False,
                                       "normalized": False, "special": True}],
                     "normalizer": {"type": "NFC"} if style == "qwen2" else None, "pre_tokenizer": pre_tokenizer(style),
                     "post_processor": {"type": "ByteLevel", "trim_offsets": False}, "decoder": {"type": "ByteLevel"},
                     "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": "",
                               "fuse_unk": False, "byte_fallback": False, "ignore_merges": style == "llama3", "vocab": self.vocabulary,
                               "merges": [list(pair) if pairs else " ".join(pair) for pair in merges]}}

    def encode(self, text):
        if self.style == "qwen2":
            text = unicodedata.normalize("NFC", text)
        tokens = []
        for word in words(text, self.style):
            row = as_letters(word)
            if self.style == "llama3" and "".join(row) in self.vocabulary:
                row = ["".join(row)]
            tokens += [self.vocabulary[name] for name in merged(row, self.ranks)]
        return tokens


def random_text(draw):
    """Characters of all kinds that Unicode 13 has: newer ones mean something else to other versions."""
    ranges = [(0x20, 0x7F), (0x20, 0x7F), (0x09, 0x0E), (0x20, 0x27), (0x30, 0x3A), (0xA0, 0x250), (0x300, 0x370), (0x400, 0x500), (0x5D0, 0x5EB),
              (0x660, 0x66A), (0x900, 0x940), (0x2000, 0x2070), (0x2150, 0x2190), (0x3000, 0x3100), (0x4E00, 0x4F00), (0xAC00, 0xAD00),
              (0xFB00, 0xFB07), (0x1F600, 0x1F640)]
    text = ""
    while len(text) < draw.randrange(1, 40):
        c = chr(draw.randrange(*draw.choice(ranges)))
        text += c * draw.choice((1, 1, 1, 2, 5)) if unicodedata.category(c) not in ("Cn", "Cs") else ""
    return text


def int32s(data):
    return list(struct.unpack(f"<{len(data) // 4}i", data))


class WithText(program.InAFolder):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def write_lines(self, name, rows):
        self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def write_tokenizer(self, style="gpt2", count=60):
        naive = Naive(style, learnt_merges(SENTENCES, style, count))
        self.write("tokenizer.json", json.dumps(naive.file))
        return naive

    def ok(self, *arguments):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended

    def train(self, data, *more, network=NETWORK, steps=1):
        return self.ok("train", *network, "--data", data, "--tokenizer", "tokenizer.json", "--steps", str(steps), "--cache", "cache", "--quiet",
                       "--json", *more).json()

    def kept_tokens(self):
        (name,) = (name for name in os.listdir(self.path("cache")) if name.endswith(".tokens"))
        with open(self.path("cache/" + name), "rb") as file:
            data = file.read()
        os.remove(self.path("cache/" + name))
        self.assertEqual(data[-16:], b"poetkept" + struct.pack("<q", len(data) - 16))
        return int32s(data[:-16])


class Tokens(WithText):
    def test_the_tokens_of_a_naive_tokenizer(self):
        draw = random.Random(5)
        texts = SENTENCES + [random_text(draw) for _ in range(300)]
        self.write_lines("texts.jsonl", [{"text": text} for text in texts])
        for style in WORD:
            with self.subTest(style):
                naive = self.write_tokenizer(style, 200)
                self.train("texts.jsonl", "--batch-size", "1")
                tokens = self.kept_tokens()
                begin = 0
                for text in texts:
                    expected = [*naive.encode(text), naive.end]
                    self.assertEqual(tokens[begin:begin + len(expected)], expected, ascii(text))
                    begin += len(expected)
                self.assertEqual(begin, len(tokens))

    def test_prompts_and_answers(self):
        naive = self.write_tokenizer()
        self.write_lines("pairs.jsonl", [{"prompt": "The fox", "answer": " jumps"}])
        self.train("pairs.jsonl", "--batch-size", "1", "--sequences", "padded", network=["--model", "llama-tiny", "--sequence-length", "16"])
        prompt, answer = naive.encode("The fox"), naive.encode(" jumps")
        tokens = [*(-1 - token for token in prompt), *answer, naive.end]
        self.assertEqual(self.kept_tokens(), tokens + [-2**31] * (17 - len(tokens)))

    def test_text_that_is_kept_is_not_read_again(self):
        self.write_tokenizer()
        self.write("a.txt", "The quick brown fox jumps over the lazy dog. " * 4)
        first = self.train("a.txt", "--batch-size", "2", steps=2)
        (name,) = (name for name in os.listdir(self.path("cache")) if name.endswith(".tokens"))
        before = os.stat(self.path("cache/" + name)).st_mtime_ns
        second = self.train("a.txt", "--batch-size", "2", steps=2)
        self.assertEqual(os.stat(self.path("cache/" + name)).st_mtime_ns, before)
        self.assertEqual(first["losses"], second["losses"])
        unkept = self.train("a.txt", "--batch-size", "2", "--no-keep-plans", steps=2)
        self.assertEqual(first["losses"], unkept["losses"])
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".poet")], [])

    def test_refusals(self):
        self.write_tokenizer()
        self.write("a.txt", "The quick brown fox jumps over the lazy dog.")
        train = ["train", *NETWORK, "--no-keep-plans", "--quiet", "--data"]
        self.assert_refused("text needs the tokenizer of the network: give --tokenizer FILE", *train, "a.txt")
        self.assert_refused("cannot read 'none.json': No such file or directory", *train, "a.txt", "--tokenizer", "none.json")
        self.assert_refused("the tokenizer 'tokenizer.json' has no token '<end>'", *train, "a.txt", "--tokenizer", "tokenizer.json", "--end-token",
                            "<end>")
        # A pipe that nobody writes to was waited for.
        for name in ("pipe.txt", "pipe.csv", "pipe.json"):
            os.mkfifo(self.path(name))
        self.assert_refused("cannot read 'pipe.txt': it is not a regular file", *train, "pipe.txt", "--tokenizer", "tokenizer.json")
        self.assert_refused("cannot read 'pipe.json': it is not a regular file", *train, "a.txt", "--tokenizer", "pipe.json")
        self.assert_refused("cannot read 'pipe.csv': it is not a regular file", "train", "--model", "mlp", "--image-size", "2", "--classes", "3",
                            "--no-keep-plans", "--quiet", "--data", "pipe.csv")
        self.write("bad.jsonl", '{"text": "a"}\n{"txt": "b"}\n')
        self.assert_refused('bad.jsonl:2: a line is {"text": "..."} or {"prompt": "...", "answer": "..."}', *train, "bad.jsonl", "--tokenizer",
                            "tokenizer.json")
        self.assert_refused("on a board every label counts: texts that are padded, and prompts and answers, are for 'poet train'", "export", "c",
                            *NETWORK, "--platform", "m4", "--out", "board", "--data", "bad.jsonl", "--tokenizer", "tokenizer.json")
        self.assert_refused("'bad.jsonl' is not text like 'a.txt': give files of one format", *train, "a.txt,bad.jsonl", "--tokenizer",
                            "tokenizer.json")


class Writes(WithText):
    """What 'poet generate-text' writes is what the scores of 'poet predict' say."""

    def setUp(self):
        super().setUp()
        self.naive = self.write_tokenizer()

    def generate(self, *more):
        return self.ok("generate-text", *NETWORK, "--tokenizer", "tokenizer.json", "--cache", "cache", "--quiet", *more)

    def best_next(self, tokens):
        """The likeliest token behind these by 'poet predict', which has all of the sequence at once."""
        shown = tokens[-8:]
        with open(self.path("tokens.bin"), "wb") as file:
            file.write(struct.pack("<9H", *shown, *[0] * (9 - len(shown))))
        classes = self.ok("predict", *NETWORK, "--batch-size", "1", "--data", "tokens.bin", "--data-format", "tokens", "--cache", "cache", "--quiet",
                          "--json").json()["classes"]
        return classes[0][len(shown) - 1]

    def test_the_likeliest_tokens_in_a_row(self):
        written = self.generate("--prompt", "The quick", "--max-tokens", "5", "--json").json()
        tokens = self.naive.encode("The quick")
        self.assertLess(len(tokens), 8)
        for token in written["tokens"]:
            self.assertEqual(token, self.best_next(tokens))
            tokens.append(token)
        self.assertGreater(len(tokens), 8)
        self.assertEqual((written["end"], written["prompt"]), ("most-tokens", "The quick"))
        shown = self.generate("--prompt", "The quick", "--max-tokens", "5").out
        self.assertEqual(shown, "The quick" + written["text"].translate({c: "?" for c in [*range(9), *range(11, 32), 127]}) + "\n")

    def test_what_it_learnt_within_a_budget(self):
        self.naive = Naive("gpt2", [])  # a letter is a token
        self.write("tokenizer.json", json.dumps(self.naive.file))
        self.write("a.txt", "abcdefg" * 40)
        self.train("a.txt", "--batch-size", "8", "--optimiser", "adamw", "--learning-rate", "0.01", "--checkpoint", "a.ckpt", steps=60)
        learnt = ["--checkpoint", "a.ckpt", "--prompt", "abcd", "--max-tokens", "8"]
        self.assertEqual(self.generate(*learnt).out, "abcdefgabcde\n")
        budget = self.generate(*learnt, "--ram-budget", "60%way", "--json").json()
        self.assertEqual(budget["text"], "efgabcde")
        self.assertLessEqual(budget["arena_bytes"], budget["ram_budget_bytes"])

    def test_draws_by_its_seed(self):
        draw = ["--prompt", "It", "--max-tokens", "12", "--temperature", "1.5", "--json", "--seed", "1"]
        one = self.generate(*draw).json()["tokens"]
        self.assertEqual(self.generate(*draw).json()["tokens"], one)
        self.assertNotEqual(one, self.generate("--prompt", "It", "--max-tokens", "12", "--json").json()["tokens"])
        likeliest = self.generate("--prompt", "It", "--max-tokens", "12", "--json", "--top-k", "1").json()["tokens"]
        self.assertEqual(likeliest, self.generate("--prompt", "It", "--max-tokens", "12", "--json").json()["tokens"])

    def test_no_words_but_the_tokenizers(self):
        count = len(self.naive.vocabulary)
        self.assertLess(count, 512, "the network knows more words")
        drawn = self.generate("--max-tokens", "60", "--temperature", "1e30", "--json").json()["tokens"]
        self.assertGreater(len(set(drawn)), 10)
        self.assertLess(max(drawn), count + 1)

    def test_an_empty_prompt_is_none(self):
        self.assertEqual(self.generate("--max-tokens", "3", "--prompt", "", "--json").json()["tokens"],
                         self.generate("--max-tokens", "3", "--json").json()["tokens"])

    def test_refusals(self):
        generate = ["generate-text", "--no-keep-plans", "--quiet", "--tokenizer", "tokenizer.json", "--model"]
        self.assert_refused("text is written by a network whose inputs are the tokens of a sequence", *generate, "lenet5")
        self.assert_refused("the network does not say what comes next: for 8 tokens its output is (1, 2), and should be (1, 8, words)", *generate,
                            "bert-tiny", "--sequence-length", "8", "--prompt", "a")
        self.assert_refused("text needs the tokenizer of the network: give --tokenizer FILE", "generate-text", "--model", "llama-tiny",
                            "--no-keep-plans", "--quiet")


class Best(WithText):
    """The step with the lowest loss of evaluations is kept, and ends what gets no better."""

    LEARN = ["--held-out", "20%", "--batch-size", "4", "--evaluate-every", "2", "--learning-rate", "0.5"]

    def setUp(self):
        super().setUp()
        self.write_tokenizer()
        self.write("a.txt", " ".join(SENTENCES) * 3)

    def losses(self, log):
        with open(self.path(log), encoding="utf-8") as file:
            return {row["step"]: row["evaluation"]["loss"] for row in map(json.loads, file) if "evaluation" in row}

    def test_keeps_the_best_and_ends(self):
        trained = self.train("a.txt", *self.LEARN, "--stop-after-no-better", "2", "--best-checkpoint", "best.ckpt", "--log", "log", steps=400)
        losses = self.losses("log")
        best = min(losses, key=losses.get)
        self.assertTrue(trained["ended_early"])
        self.assertLess(trained["steps"], 400)
        self.assertEqual(trained["best"], {"step": best, "loss": losses[best]})
        self.assertEqual(trained["steps"], best + 4)
        self.assertAlmostEqual(trained["evaluation"]["perplexity"], 2.718281828459045 ** trained["evaluation"]["loss"], places=9)
        whole = ["--data", "a.txt", "--tokenizer", "tokenizer.json", "--batch-size", "4", "--no-keep-plans", "--quiet", "--json"]
        of_best = self.ok("eval", *NETWORK, *whole, "--checkpoint", "best.ckpt").json()
        self.assertEqual(of_best["checkpoint_step"], best)

    def test_ends_where_no_loss_is_a_number(self):
        diverging = ["a.txt", "--held-out", "20%", "--batch-size", "4", "--optimiser", "sgd", "--learning-rate", "1e30", "--evaluate-every", "2", "--stop-after-no-better", "3",
                     "--allow-non-finite"]
        trained = self.train(*diverging, "--checkpoint", "once.ckpt", steps=40)
        self.assertEqual((trained["ended_early"], trained["steps"], trained["best"]), (True, 6, None))
        self.train(*diverging, "--checkpoint", "parts.ckpt", "--resume", steps=3)
        parts = self.train(*diverging, "--checkpoint", "parts.ckpt", "--resume", steps=40)
        self.assertEqual((parts["ended_early"], parts["first_step"], parts["steps"], parts["best"]), (True, 4, 3, None))

    def test_goes_on_counting_after_a_stop(self):
        options = ["a.txt", *self.LEARN, "--stop-after-no-better", "2"]
        at_once = self.train(*options, "--checkpoint", "once.ckpt", steps=400)
        for steps in range(3, at_once["steps"], 7):
            self.train(*options, "--checkpoint", "parts.ckpt", "--resume", steps=steps)
        parts = self.train(*options, "--checkpoint", "parts.ckpt", "--resume", steps=400)
        self.assertEqual(parts["first_step"] + parts["steps"], at_once["steps"] + 1)
        for same in ("parameters_sha256", "best", "ended_early"):
            self.assertEqual(parts[same], at_once[same], same)

    def test_refusals(self):
        train = ["train", *NETWORK, "--quiet", "--no-keep-plans", "--steps", "2", "--data", "a.txt", "--tokenizer", "tokenizer.json"]
        self.assert_refused("--best-checkpoint and --stop-after-no-better need --evaluate-every N", *train, "--best-checkpoint", "b.ckpt")
        self.assert_refused("the best step is found by trying the network: give --test-data, or --held-out", *train, "--evaluate-every", "1",
                            "--stop-after-no-better", "1")


@unittest.skipIf(torch is None, "PyTorch, ONNX or NumPy is not installed")
class Masks(WithText):
    """The loss of a step is the mean over the labels that count, however the batch is split, and so are its gradients."""

    ROWS = [{"prompt": "The quick brown", "answer": " fox"}, {"text": "jumps over the lazy dog."}, {"prompt": "", "answer": "It's"},
            {"prompt": "we'll see, I'M sure!", "answer": "1234567 apples"}]

    def torch_losses(self, rows, length, steps, rate):
        """Of SGD on all rows at once; rows are (token, counts), as long as they are."""
        weights = {name: torch.tensor(struct.unpack(f"<{len(data) // 4}f", data)).reshape(shape).requires_grad_()
                   for name, (_kind, shape, data) in read(self.path("begin.safetensors")).items()}
        tokens = torch.zeros(len(rows), length, dtype=torch.long)
        labels = torch.full((len(rows), length), -100)
        for k, row in enumerate(rows):
            for i, (token, _) in enumerate(row[:length]):
                tokens[k, i] = token
            for i, (token, counts) in enumerate(row[1:]):
                labels[k, i] = token if counts else -100
        losses = []
        for _ in range(steps):
            loss = torch.nn.functional.cross_entropy(decoder(weights, tokens, False).flatten(0, 1), labels.flatten(), ignore_index=-100)
            losses.append(loss.item())
            gradients = torch.autograd.grad(loss, list(weights.values()))
            with torch.no_grad():
                for weight, gradient in zip(weights.values(), gradients):
                    weight -= rate * gradient
        return losses

    def test_padded_texts_and_answers_have_the_losses_of_pytorch(self):
        naive = self.write_tokenizer()
        self.write_lines("rows.jsonl", self.ROWS)
        length, rate, steps = 32, 0.5, 4
        rows = [[(token, False) for token in naive.encode(row.get("prompt", ""))]
                + [(token, True) for token in [*naive.encode(row.get("answer", row.get("text"))), naive.end]] for row in self.ROWS]
        self.assertLessEqual(max(map(len, rows)), length + 1)
        network = ["--model", "llama-tiny", "--sequence-length", str(length)]
        self.ok("export", "safetensors", *network, "--seed", "1", "--out", "begin.safetensors")
        expected = self.torch_losses(rows, length, steps, rate)
        for split in (["--micro-batches", "1"], ["--micro-batches", "2"], ["--micro-batches", "4"], ["--micro-batches", "2", "--parts", "160KiB"]):
            with self.subTest(split):
                losses = self.train("rows.jsonl", "--sequences", "padded", "--batch-size", "4", "--learning-rate", str(rate), *split,
                                    network=network, steps=steps)["losses"]
                self.assertEqual(len(losses), steps)
                for ours, theirs in zip(losses, expected):
                    self.assertAlmostEqual(ours, theirs, delta=2e-5 * theirs)

    def test_evaluation_counts_over_all_batches(self):
        self.write_tokenizer()
        self.write_lines("rows.jsonl", self.ROWS)
        network = ["--model", "llama-tiny", "--sequence-length", "32"]
        evaluation = ["eval", *network, "--data", "rows.jsonl", "--tokenizer", "tokenizer.json", "--sequences", "padded", "--no-keep-plans",
                      "--quiet", "--json", "--batch-size"]
        at_once, in_turn = (self.ok(*evaluation, size).json()["evaluation"] for size in ("4", "1"))
        self.assertAlmostEqual(at_once["loss"], in_turn["loss"], places=12)
        first = self.train("rows.jsonl", "--sequences", "padded", "--batch-size", "4", network=network)["losses"][0]
        self.assertAlmostEqual(first, at_once["loss"], places=4)


if __name__ == "__main__":
    program.run_tests()
