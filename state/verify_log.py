#!/usr/bin/env python3
"""Checks an export of the sync log without contact-sync: python3 verify_log.py LOG.jsonl|LOG.csv [WITNESS]

LOG is a whole export (contact-sync audit export FILE), or all lines of audit.hand_over, each once, by seq. WITNESS holds
lines of contact-sync audit witness, kept out of reach of the machine that has the state: a log that was rewritten or cut
off since does not have what they say.
Ends with 0 and the head where all is as it was written, with 2 where a file cannot be read, else with 1 and what is wrong.
Python 3.8 or later, nothing else.
"""
import csv, decimal, hashlib, json, re, sys
GONE = {"key": None, "contact_id": None, "fields": {}, "terms": {"add": [], "remove": []}, "reason": None, "source": None}
PROOF = ("prev", "hash", "entry", "personal", "salt")
COLUMNS = ("seq,at,run_id,pipeline,key,contact_id,action,outcome,what,from,to,reason,file,line,file_sha256,method,path,"
           "status,attempts,config_hash,person,values,by,role,note,prev,hash,entry,personal,salt").split(",")
sha = lambda text: hashlib.sha256(text.encode()).hexdigest()
same = lambda a, b: json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)

def once(pairs):  # a name that stands twice could show one value and prove another
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)

def read(text):
    return json.loads(text, object_pairs_hook=once)

def proved(entry, personal, salt):  # what an entry shows, from nothing but what is chained
    public = read(entry)
    shown = {name: public[name] for name in public if name not in ("fields", "terms", "digest", "was")}
    if personal is None:
        return {**shown, **GONE, "values": "erased", "field_names": public["fields"]}
    assert public["digest"] == sha(salt + "\n" + personal), f'entry {public["seq"]}: the values are not those that were entered'
    return {**shown, **GONE, **read(personal), "values": "open"}

def number(value):  # as JavaScript writes it
    if isinstance(value, bool): return str(value).lower()
    digits, _, power = repr(value).partition("e")
    if not power: return digits
    return format(decimal.Decimal(repr(value)), "f") if int(power) in (-5, -6) else f"{digits}e{int(power):+d}"

# What JavaScript takes for a blank: not the same as in Python.
FORMULA = re.compile("[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*[=+\\-@\t\r]")

def cell(value):
    text = "" if value is None else "; ".join(value) if isinstance(value, list) else value if isinstance(value, str) else number(value)
    return "'" + text if isinstance(value, (str, list)) and FORMULA.match(text) else text

def table(e):  # the rows of one entry
    changes = [(name, None, None) for name in e.get("field_names", [])]
    changes += [(name, change["from"], change["to"]) for name, change in e["fields"].items()]
    changes += [("term", None, name) for name in e["terms"]["add"]] + [("term", name, None) for name in e["terms"]["remove"]]
    request, source = e["request"] or {}, e["source"] or {}
    told = {"by": None, "role": None, "note": None, **e, "file": source.get("file"), "line": source.get("line"), "file_sha256": source.get("sha256"),
            **{name: request.get(name) for name in ("method", "path", "status", "attempts")}}
    return [[cell({**told, "what": what, "from": old, "to": new}[name]) for name in COLUMNS[:-5]]
            for what, old, new in changes or [(None, None, None)]]

def from_lines(file):
    for line in file:
        e = read(line)
        if e["values"] == "withheld":  # handed over to a collector: what is chained, without the values
            shown = {**proved(e["entry"], None, None), "values": "withheld"}
            e = {**GONE, **{name: e[name] for name in e if name != "instance"}}
        else:
            shown = proved(e["entry"], e["personal"], e["salt"])
        assert same({name: e[name] for name in e if name not in PROOF}, shown), f'entry {e["seq"]} shows what is not chained'
        yield shown, e["prev"], e["hash"], e["entry"]

def from_table(file):
    csv.field_size_limit(2**31 - 1)
    rows = csv.reader(file)
    assert next(rows) == COLUMNS
    left = []
    for row in rows:  # what proves an entry stands in the first of its rows
        if left:
            assert row[-3:] == ["", "", ""], row[0]
        else:
            prev, hashed, entry, personal, salt = row[-5:]
            shown = proved(entry, personal or None, salt)
            left = table(shown)
        assert row[:-5] == left.pop(0) and row[-5:-3] == [prev, hashed], row[0]
        if not left:
            yield shown, prev, hashed, entry
    assert not left

def check(log, witness=None):
    witnessed = {}  # by the number of an entry: what the hash was, in the words of the witness
    if witness:
        for number, line in enumerate(open(witness, encoding="utf-8"), 1):
            if line.strip():
                told = json.loads(line)
                witnessed.setdefault(told["entries"], []).append((told["hash"], told["at"], told["instance"], number))
        assert witnessed, "the witness holds no line"
        assert len({one[2] for all in witnessed.values() for one in all}) == 1, "the witness is of several states"

    prev, seq, erased, tokens, up_to = "0" * 64, 0, [], set(), 0
    witnessed.pop(0, None)  # from before the first entry
    file = open(log, encoding="utf-8-sig", newline="")
    for e, before, hashed, entry in (from_table if log.endswith(".csv") else from_lines)(file):
        seq += 1
        assert before == prev and hashed == sha(prev + "\n" + entry) and e["seq"] == seq, f"entry {seq}: the chain is broken"
        if e["values"] == "erased": erased.append((seq, e["person"]))
        if e["action"] == "erase": tokens.update(e["tokens"])
        if e["action"] == "expire": up_to = max(up_to, e["up_to"])
        prev = hashed
        for told, at, _, number in witnessed.pop(seq, []):
            assert told in (hashed, read(entry).get("was")), f"entry {seq}: line {number} of the witness ({at}) has another hash: the log was rewritten"
    assert not witnessed, f"entries {seq + 1} to {max(witnessed)} are missing: the witness had them"
    for number, person in erased:  # values may be gone only where an entry says so
        assert number <= up_to or person in tokens, f"entry {number}: its values are gone, and no entry says so"
    return seq, prev

if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        print("whole, {} entries, head {}".format(*check(*sys.argv[1:])))
    except (AssertionError, KeyError, ValueError, StopIteration) as error:
        sys.exit(f"NOT WHOLE: {error}")
    except OSError as error:
        print(f"{error.filename} cannot be read: {error.strerror}", file=sys.stderr)
        sys.exit(2)
