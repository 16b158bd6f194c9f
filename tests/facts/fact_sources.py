# SPDX-License-Identifier: Apache-2.0
"""The answers of Debian's data files to the bundled facts.

Each source is a function of the root directory that returns {relation: check}. A check takes a fact and the ids of its
relation's options, and returns what is wrong with the answer, or None.
"""

import collections
import gzip
import json
import os
import re
import unicodedata
import xml.etree.ElementTree as ElementTree

CLDR = "usr/share/unicode/cldr/common/supplemental/"
WORDNET = "usr/share/wordnet/"
ISO = "usr/share/iso-codes/json/"
PACKAGE_FILE = {
    "wordnet-base": WORDNET + "data.noun",
    "unicode-cldr-core": CLDR + "supplementalData.xml",
    "iso-codes": ISO + "iso_4217.json",
    "miscfiles": "usr/share/misc/countries.gz",
    "bodr": "usr/share/bodr/elements.xml",
}


def plain(name):
    """A name for comparisons: without accents, articles, case, blanks or punctuation."""
    name = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    name = re.sub(r"^(the|an?) ", "", name.casefold())
    return "".join(c for c in name if c.isalnum())


def names(fact, side):
    """Every plain name that a fact gives to its subject ("sub") or object ("obj")."""
    return {plain(n) for n in [fact[side + "_label"], *fact.get(side + "_aliases", [])]}


class Wordnet:
    def __init__(self, root):
        self.folder = os.path.join(root, WORDNET)
        self.words, self.pointers, self.gloss = {}, {}, {}
        for line in self.lines("data.noun"):
            data, _, gloss = line.partition(" | ")
            field = data.split()
            end = 4 + 2 * int(field[3], 16)  # the number of words is hexadecimal
            self.words[field[0]] = field[4:end:2]
            self.gloss[field[0]] = gloss.strip()
            rest = field[end + 1 :]
            self.pointers[field[0]] = [(rest[i], rest[i + 1]) for i in range(0, len(rest) - 3, 4)]

    def lines(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as handle:
            yield from (line for line in handle if not line.startswith("  "))  # the licence is indented

    def closure(self, offset, symbols):
        """Every synset that can be reached from one along these pointers."""
        found, queue = set(), [offset]
        while queue:
            for symbol, target in self.pointers.get(queue.pop(), ()):
                if symbol in symbols and target not in found:
                    found.add(target)
                    queue.append(target)
        return found

    def names(self, offsets):
        return {plain(word.replace("_", " ")) for offset in offsets for word in self.words.get(offset, ())}

    def kinds(self, offset):
        return self.names(self.closure(offset, ("@", "@i")))

    def wholes(self, offset):
        return self.closure(offset, ("#p",))


def wordnet(root):
    net = Wordnet(root)
    by_index = {p: {line.split()[0] for line in net.lines("index." + p)} for p in ("noun", "verb", "adj", "adv")}
    part = {"pos:noun": "noun", "pos:verb": "verb", "pos:adjective": "adj", "pos:adverb": "adv"}
    plurals = {(line.split()[0], singular) for line in net.lines("noun.exc") for singular in line.split()[1:]}

    def synset(fact, side="sub"):
        return fact[side + "_id"].removeprefix("wn:")

    def named(check):
        """The subject's synset must contain a name of the subject before its other data counts."""
        def both(fact, options):
            if not net.names([synset(fact)]) & names(fact, "sub"):
                return f"synset {synset(fact)} is not called {fact['sub_label']!r}"
            return check(fact, options)
        return both

    def birth_year(fact, options):
        years = re.findall(r"\((?:born (?:in )?)?(\d{4})(?:-\d{4}|-)?\)", net.gloss[synset(fact)])
        return None if years[:1] == [fact["obj_label"]] else f"the gloss gives the years {years}"

    def nationality(fact, options):
        start = {"American": "United States"}.get(fact["obj_label"], fact["obj_label"])
        gloss = net.gloss[synset(fact)]
        return None if gloss.startswith(start + " ") else f"the gloss starts {gloss[:30]!r}"

    def kind(fact, options):
        above = net.closure(synset(fact), ("@", "@i"))
        fitting = [o for o in options if o.removeprefix("wn:") in above]
        if fitting != [fact["obj_id"]]:
            return f"the options above it are {fitting}"
        called = names(fact, "obj") | {n + "deity" for n in names(fact, "obj")}
        return None if net.names([synset(fact, "obj")]) & called else "the option's synset has another name"

    def city_country(fact, options):
        wholes = net.names(net.wholes(synset(fact)))
        return None if wholes & names(fact, "obj") else f"it is a part of {sorted(wholes)}"

    def states(offset):
        return {n for o in net.wholes(offset) if "americanstate" in net.kinds(o) for n in net.names([o])}

    def city_state(fact, options):
        return None if names(fact, "obj") & states(synset(fact)) else f"it is in {sorted(states(synset(fact)))}"

    def state_capital(fact, options):
        city = synset(fact, "obj")
        if not net.names([city]) & names(fact, "obj") or "statecapital" not in net.kinds(city):
            return "the option's synset is not this state capital"
        return None if names(fact, "sub") & states(city) else f"it is in {sorted(states(city))}"

    def part_of_speech(fact, options):
        parts = [p for p in by_index if fact["sub_label"] in by_index[p]]
        return None if parts == [part[fact["obj_id"]]] else f"it is listed as {parts}"

    def plural(fact, options):
        pair = (fact["obj_label"], fact["sub_label"])
        return None if pair in plurals else "no such line in noun.exc"

    return {
        "birth-year": named(birth_year), "nationality": named(nationality), "profession": named(kind),
        "animal-class": named(kind), "instrument-family": named(kind), "unit-quantity": named(kind),
        "mythology": named(kind), "city-country": named(city_country), "us-city-state": named(city_state),
        "us-state-capital": state_capital, "part-of-speech": part_of_speech, "plural": plural,
    }


def cldr(root):
    data = ElementTree.parse(os.path.join(root, CLDR, "supplementalData.xml")).getroot()
    groups = ElementTree.parse(os.path.join(root, CLDR, "languageGroup.xml")).getroot()
    iso = {}
    for code, key in (("4217", "alpha_3"), ("15924", "alpha_4"), ("639-5", "alpha_3")):
        with open(os.path.join(root, ISO, f"iso_{code}.json"), encoding="utf-8") as handle:
            iso[code] = {entry[key]: entry["name"] for entry in json.load(handle)[code]}
    inside = collections.defaultdict(list)
    for group in data.iter("group"):
        if group.get("status") is None and group.get("grouping") is None:
            inside[group.get("type")] += group.get("contains").split()
    inside["003"] = ["013", "021", "029"]  # CLDR marks North America as only a grouping
    parents = collections.defaultdict(list)
    for group in groups.iter("languageGroup"):
        for child in group.text.split():
            parents[child].append(group.get("parent"))
    tender = {r.get("iso3166"): [c.get("iso4217") for c in r if c.get("to") is None and c.get("tender") != "false"]
              for r in data.iter("region")}
    official = {t.get("type"): {p.get("type").split("_")[0] for p in t
                                if p.get("officialStatus") in ("official", "de_facto_official")}
                for t in data.iter("territory")}
    scripts = {lang.get("type"): (lang.get("scripts") or "").split()
               for lang in data.find("languageData") if lang.get("alt") is None}

    def closure(code, graph):
        return {code}.union(*(closure(other, graph) for other in graph.get(code, ())))

    def expect(fitting, wanted, what):
        return None if fitting == [wanted] else f"{what}: {fitting}"

    def words(text):
        return {plain(word) for word in re.split(r"[^\w’']+", text)}

    def continent(fact, options):
        fitting = [o for o in options if fact["sub_id"] in closure(o.removeprefix("continent:"), inside)]
        return expect(fitting, fact["obj_id"], "it lies in")

    def currency(fact, options):
        codes = tender.get(fact["sub_id"], [])
        if len(codes) != 1 or not words(iso["4217"][codes[0]]) & names(fact, "obj"):
            return f"its currencies are {[(c, iso['4217'].get(c)) for c in codes]}"
        return None

    def currency_country(fact, options):
        code = fact["sub_id"]
        if not words(iso["4217"].get(code, "")) & names(fact, "sub"):
            return f"{code} is {iso['4217'].get(code)!r}"
        return None if code in tender.get(fact["obj_id"], ()) else f"{code} is not a currency of {fact['obj_id']}"

    def language(fact, options):
        return expect([o for o in options if o in official.get(fact["sub_id"], ())], fact["obj_id"], "official there")

    def script(fact, options):
        if not words(iso["15924"].get(fact["obj_id"], "")) & names(fact, "obj"):
            return f"{fact['obj_id']} is {iso['15924'].get(fact['obj_id'])!r}"
        return expect(scripts.get(fact["sub_id"], []), fact["obj_id"], "its scripts are")

    def family(fact, options):
        if not words(iso["639-5"].get(fact["obj_id"], "")) & names(fact, "obj"):
            return f"{fact['obj_id']} is {iso['639-5'].get(fact['obj_id'])!r}"
        above = closure(fact["sub_id"], parents)
        return expect([o for o in options if o in above], fact["obj_id"], "its families are")

    return {"continent": continent, "currency": currency, "currency-country": currency_country,
            "official-language": language, "language-script": script, "language-family": family}


def miscfiles(root):
    def lines(name):
        with gzip.open(os.path.join(root, "usr/share/misc", name), "rt", encoding="utf-8") as handle:
            yield from (line.strip() for line in handle if line.strip() and not line.startswith("#"))

    countries = [line.split(":") for line in lines("countries.gz")]
    capital_of = {field[1]: field[4] for field in countries}
    code_of = {field[3]: field[1] for field in countries}
    dial = {code_of.get(name): number for number, name in (line.split(":") for line in lines("inter.phone.gz"))}

    def capital(fact, options):
        listed = capital_of.get(fact["sub_id"], "")
        # The list omits the word "City" of "Mexico City".
        fine = {plain(listed), plain(listed + " City")} & names(fact, "obj")
        return None if fine else f"its capital is {listed!r}"

    def calling_code(fact, options):
        number = "+" + dial.get(fact["sub_id"], "")
        return None if number == fact["obj_label"] else f"its code is {number}"

    return {"capital": capital, "calling-code": calling_code}


def bodr(root):
    atoms = {}
    tree = ElementTree.parse(os.path.join(root, PACKAGE_FILE["bodr"])).getroot()
    for atom in tree.iter("{http://www.xml-cml.org/schema}atom"):
        value = {p.get("dictRef", "").removeprefix("bo:"): p.get("value") or p.text for p in atom}
        atoms[atom.get("id")] = value

    def compare(key, prefix):
        def check(fact, options):
            atom = atoms.get(fact["sub_id"], {})
            if plain(atom.get("name", "")) not in names(fact, "sub"):
                return f"{fact['sub_id']} is {atom.get('name')!r}"
            found = prefix + atom.get(key, "").replace("_", "-")
            return None if found.casefold() == fact["obj_id"].casefold() else f"the file has {found}"
        return check

    def same_label(check):
        """Symbols and numbers are their own names; only their ids have a prefix."""
        return lambda fact, options: (check(fact, options) or (
            None if fact["obj_id"].split(":")[1] == fact["obj_label"] else "the label is not the id"))

    return {"element-symbol": same_label(compare("symbol", "symbol:")), "element-family": compare("family", "family:"),
            "atomic-number": same_label(compare("atomicNumber", "number:"))}


SOURCES = (
    (wordnet, ["wordnet-base"],
     ["birth-year", "nationality", "profession", "animal-class", "instrument-family", "unit-quantity", "mythology",
      "city-country", "us-city-state", "us-state-capital", "part-of-speech", "plural"]),
    (cldr, ["unicode-cldr-core", "iso-codes"],
     ["continent", "currency", "currency-country", "official-language", "language-script", "language-family"]),
    (miscfiles, ["miscfiles"], ["capital", "calling-code"]),
    (bodr, ["bodr"], ["element-symbol", "atomic-number", "element-family"]),
)
