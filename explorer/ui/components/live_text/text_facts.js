/* Facts about the field's text, in one pass over its UTF-16 code units.

   textFacts("a\ud83d€")  ->  { points: 3, bytes: 7, lone: 1, first: { at: 1, unit: 0xd83d }, clean: "a\ufffd€" }

   points  code points          bytes  length in UTF-8, with U+FFFD for every lone surrogate
   lone    number of lone surrogates; `first` is the first of them (`at` counts code points from 0)
   clean   the text to send: the same object if nothing was replaced                            */

function textFacts(text) {
  let points = 0;
  let bytes = 0;
  let lone = 0;
  let first = null;
  for (let i = 0; i < text.length; i += 1, points += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else if (unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 4;
      i += 1;
    } else {
      first ??= { at: points, unit };
      lone += 1;
      bytes += 3;
    }
  }
  return { points, bytes, lone, first, clean: lone ? text.toWellFormed() : text };
}

function isLowSurrogate(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff; // false for NaN, after the end
}

/* At least two whole numbers, in brackets or not, and nothing else. */
function looksLikeIds(text) {
  return text.length < 100_000 && /^[\s[({]*\d{1,10}(?:[\s,;]+\d{1,10})+[\s,;\])}]*$/.test(text);
}

/* How many ids a list has, "" for what is none. */
function idsText(text) {
  const numbers = looksLikeIds(text) || /^\s*[[(]?\s*\d{1,10}\s*[\])]?\s*$/.test(text) ? text.match(/\d+/g) : null;
  return numbers ? counted(numbers.length, "id", "ids") : "";
}

/* A textarea normalizes line ends: \r\n and \r from Python come back as \n. */
function asField(text) {
  return text.replace(/\r\n?/g, "\n");
}

function sizeText(facts) {
  return `${counted(facts.points, "character", "characters")} · ${counted(facts.bytes, "byte", "bytes")}`;
}

/* The message under the field, "" if the text is fine. */
function textProblem(facts, max) {
  if (facts.points > max) {
    return inWords(
      "{0} characters; this page takes up to {1}. Use the command line for longer texts. The page still shows the previous text.",
      formatNumber(facts.points), formatNumber(max),
    );
  }
  if (facts.lone === 0) return "";
  const { at, unit } = facts.first;
  const where = [codePointName(unit), formatNumber(at + 1)];
  return facts.lone === 1
    ? inWords("{0} at position {1} is half of a surrogate pair and can't be encoded in UTF-8. It is read as U+FFFD.", ...where)
    : inWords(
        "{2} halves of surrogate pairs can't be encoded in UTF-8, the first of them {0} at position {1}. They are read as U+FFFD.",
        ...where, formatNumber(facts.lone),
      );
}
