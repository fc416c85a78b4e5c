"""Files that cannot be used: one line that names the file, the place, the cause and the remedy."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from psyirt.data.readers import read_gold, read_labels, read_responses
from psyirt.errors import InputError

GOOD = "subject,q1,q2\na,1,0\nb,0,1\n"
LONG = "subject,item,response\n"

BAD_FILES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("x.csv", b"", "is empty"),
    "blank": ("x.csv", b" \n\n", "is empty"),
    "mark only": ("x.csv", b"\xef\xbb\xbf", "is empty"),
    "header only": ("x.csv", b"subject,q1,q2\n", "a header and no rows"),
    "one column": ("x.csv", b"hello world\nfoo\n", "has one column"),
    "binary": ("x.csv", b"ab\0\x01\x02,c\n\0", "is binary"),
    "zip": ("x.csv", b"PK\x03\x04abc", "a zip or Excel file"),
    "utf-16": ("x.csv", GOOD.encode("utf-16"), "encoding='utf-16'"),
    "ragged, short": ("x.csv", b"subject,q1,q2\na,1,0\nb,0\n", "line 3: 2 cells where the header has 3"),
    "ragged, long": ("x.csv", b"subject,q1,q2\na,1,0,1\n", "line 2: 4 cells where the header has 3"),
    "open quote": ("x.csv", b'subject,q1\na,"1\nb,0\n', "is not a table"),
    "open quote in header": ("x.csv", b'subject,"q1\na,1\nb,0\n', "is not a table"),
    "name twice": ("x.csv", b"subject,q1,q1\na,1,0\n", "header: column 'q1' occurs 2 times"),
    "no header": ("x.csv", b"1,0,1\n0,0,1\n", "a table without a header row needs one"),
    "no name": ("x.csv", b"subject,q1,\na,1,0\n", "column 3 has no name"),
    "subject twice": ("x.csv", b"subject,q1\na,1\na,0\n", "line 3: subject 'a' has more than one row"),
    "no subject": ("x.csv", b"subject,q1\na,1\n,0\n", "line 3: no subject is named"),
    "value": ("x.csv", b"subject,q1,q2\na,1,0\nb,0,2\n", "line 3, column 'q2': '2' is not 0, 1 or missing"),
    "labels": ("x.csv", b"subject,q1\na,e\n", "read labels with read_labels"),
    "unknown first column": ("x.csv", b"who,q1\nann,1\n", "give subject='who'"),
    "pair twice": ("x.csv", (LONG + "a,q1,1\na,q1,1\n").encode(), "subject 'a', item 'q1'"),
    "long value": ("x.csv", (LONG + "a,q1,1\na,q2,5\n").encode(), "line 3, column 'response': '5' is not 0, 1"),
    "long without subject": ("x.csv", (LONG + ",q1,1\n").encode(), "line 2: no subject is named"),
    "long without item": ("x.csv", (LONG + "a,,1\n").encode(), "line 2: no item is named"),
    "labels, long": ("x.csv", b"worker,task,label\na,q1,e\n", "This is a table of labels"),
    "short gzip": ("x.csv.gz", gzip.compress(GOOD.encode() * 50)[:-20], "the gzip file is cut short"),
    "damaged gzip": ("x.csv.gz", gzip.compress(b"x")[:10] + b"\xff" * 30, "the gzip file is damaged"),
    "empty in gzip": ("x.csv.gz", gzip.compress(b""), "is empty"),
    "no parquet": ("x.parquet", GOOD.encode(), "is no Parquet file"),
    "damaged parquet": ("x.parquet", b"PAR1 and nothing more", "the Parquet file cannot be read"),
    "no JSON": ("x.jsonl", b'{"subject_id": "a", "responses": {"q": 1}}\n{"subject_id": ', "line 2: is not JSON"),
    "other JSON": ("x.json", b'{"models": []}\n', "line 1: has no subject_id with responses"),
    "JSON list": ("x.json", b"[1, 2]\n", "line 1: has no subject_id with responses"),
    "JSON value": ("x.jsonl", b'{"subject_id": "a", "responses": {"q": 0.5}}', "subject 'a', item 'q': 0.5 is not 0"),
    "JSON nested": ("x.jsonl", b'{"subject_id": "a", "responses": {"q": [1]}}', "subject 'a', item 'q': \\[1\\] is"),
    "JSON item twice": ("x.jsonl", b'{"subject_id": "a", "responses": {"q": 1, "q": 0}}', "'q' is named twice"),
    "JSON subject twice": ("x.jsonl", b'{"subject_id": "a", "responses": {"q": 1}}\n' * 2, "line 2: subject 'a'"),
    "JSON empty": ("x.jsonl", b'{"subject_id": "a", "responses": {}}', "no line has a response"),
}  # fmt: skip


def message_of(path: Path, read=read_responses, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    assert caught.value.remedy
    return text


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(tmp_path: Path, case: str) -> None:
    """A traceback, or a table of nonsense, helps nobody."""
    name, content, expected = BAD_FILES[case]
    path = tmp_path / name
    path.write_bytes(content)
    assert expected.replace("\\", "") in message_of(path)


def test_absent_and_folder(tmp_path: Path) -> None:
    """The commonest slips of all."""
    assert "there is no such file" in message_of(tmp_path / "absent.csv")
    assert "is a folder" in message_of(tmp_path)
    assert "there is no such file" in message_of(tmp_path / "absent.csv", read_labels)
    assert "there is no such file" in message_of(tmp_path / "absent.csv", read_gold)


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        (GOOD, {"response": "q1", "format": "wide"}, "response= does not apply to the wide format"),
        (GOOD, {"item": "q1"}, "no response column"),
        (GOOD, {"subject": "nobody"}, "no column 'nobody'"),
        (GOOD, {"ignore": ["q9"]}, "no column 'q9' to ignore"),
        (GOOD, {"ignore": ["q1", "q2"]}, "has no items"),
        (GOOD, {"ignore": ["subject", "q1", "q2"]}, "no columns that are not ignored"),
        (GOOD, {"delimiter": "::"}, "'::' cannot be a delimiter"),
        (GOOD, {"delimiter": ";"}, "has one column"),
        (
            '{"subject_id": "a", "responses": {"q": 1}}',
            {"subject": "a"},
            "subject= does not apply to the py-irt format",
        ),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, content: str, options: dict[str, object], expected: str) -> None:
    """An option that is ignored is an option that lies."""
    path = tmp_path / "x.csv"
    path.write_text(content)
    assert expected in message_of(path, **options)


def test_a_single_text_for_a_list_is_refused(tmp_path: Path) -> None:
    """missing="NA" must not mean the codes N and A."""
    path = tmp_path / "x.csv"
    path.write_text(GOOD)
    with pytest.raises(InputError, match=r"missing='NA' is one text. Give a list"):
        read_responses(path, missing="NA")


def test_parquet_refuses_what_is_said_of_text(tmp_path: Path) -> None:
    """Encodings, delimiters and JSON lines do not exist there."""
    path = tmp_path / "x.parquet"
    pd.DataFrame({"subject": ["a"], "q1": [1]}).to_parquet(path)
    assert "encoding= does not apply" in message_of(path, encoding="latin-1")
    assert "delimiter= does not apply" in message_of(path, delimiter=";")
    assert "is a Parquet file, not JSON lines" in message_of(path, format="py-irt")


BAD_LABELS = {
    "no workers": ("rater_code,q1\nr1,e\n", "does not look like the workers' names"),
    "worker twice": ("worker,q1\na,e\na,n\n", "worker 'a' has more than one row"),
    "pair twice": ("worker,task,label\na,q1,e\na,q1,n\n", "worker 'a', item 'q1'"),
    "two golds": ("worker,item,label,gold\na,q1,e,e\nb,q1,e,n\n", "item 'q1' has more than one gold label"),
    "nameless": ("worker,item,label\n,q1,e\n", "line 2: no worker is named"),
    "nameless, wide": ("worker,q1\na,e\n,n\n", "line 3: no worker is named"),
    "JSON": ('{"subject_id": "a", "responses": {"q": 1}}', "use read_responses"),
}


@pytest.mark.parametrize("case", BAD_LABELS)
def test_bad_labels(tmp_path: Path, case: str) -> None:
    """Files of labels fail as plainly as files of responses."""
    content, expected = BAD_LABELS[case]
    path = tmp_path / "x.csv"
    path.write_text(content)
    assert expected in message_of(path, read_labels)


def test_bad_gold(tmp_path: Path) -> None:
    """A key that lists an item twice has two right answers."""
    path = tmp_path / "gold.csv"
    path.write_text("item,gold\nq1,e\nq1,n\n")
    assert "item 'q1' is in the gold table more than once" in message_of(path, read_gold)
    path.write_text("item,kind\nq1,e\n")
    assert "no gold column" in message_of(path, read_gold)


NESTED = pd.DataFrame({"name": ["a", "b"], "item": ["q1", "q2"], "value": [["x"], ["y"]], "more": [[1], [2]]})


@pytest.mark.parametrize(
    ("read", "columns", "place"),
    [
        (read_responses, ("subject", "item", "response"), "row 1, column 'response'"),
        (read_labels, ("worker", "item", "label"), "row 1, column 'label'"),
        (read_gold, ("note", "item", "gold"), "row q1, column 'gold'"),
        (read_responses, ("subject", "q1", "q2"), "row 1, column 'q2'"),
        (read_labels, ("worker", "q1", "q2"), "row a, column 'q2'"),
    ],
)
def test_lists_in_parquet_cells(
    tmp_path: Path, read: Callable[..., object], columns: tuple[str, ...], place: str
) -> None:
    """Data sets keep lists of choices in Parquet: in a column that is read they are refused, elsewhere they stay."""
    path = tmp_path / "x.parquet"
    frame = NESTED.drop(columns="more").set_axis([*columns], axis="columns")
    frame.to_parquet(path)
    assert f"{place}: a cell holds a list" in message_of(path, read)


def test_lists_in_parquet_columns_that_are_not_read(tmp_path: Path) -> None:
    """A column of choices beside the answers is no fault."""
    path = tmp_path / "x.parquet"
    frame = NESTED.set_axis(["subject", "item", "response", "choices"], axis="columns").assign(response=[1, 0])
    frame.to_parquet(path)
    assert read_responses(path).observed == 2
    frame.rename(columns={"subject": "note", "response": "gold"}).to_parquet(path)
    assert list(read_gold(path)["choices"].iloc[1]) == [2]


@pytest.mark.parametrize("encoding", ["undefined", "punycode", "no\0name", "klingon", "base64"])
def test_codecs_that_are_no_encodings_of_files(tmp_path: Path, encoding: str) -> None:
    """Python knows codecs that fail in ways of their own."""
    path = tmp_path / "x.csv"
    path.write_bytes(GOOD.encode())
    assert repr(encoding) in message_of(path, encoding=encoding)


@pytest.mark.parametrize(
    "value", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000, "[" * 900 + "]" * 900, "1" * 5000]
)
def test_json_beyond_what_python_reads(tmp_path: Path, value: str) -> None:
    """A file made to break the reader (or broken) must not end in a traceback, nor be quoted in full."""
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"subject_id": "a", "responses": {{"q": {value}}}}}\n')
    assert len(message_of(path)) < 500
