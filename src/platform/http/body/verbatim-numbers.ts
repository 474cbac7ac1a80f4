/**
 * Parses JSON. Numbers directly under a key, or in a list there, become strings if parsing would change their spelling: `1.0`, `2.50`,
 * `1e3`, more digits than a double has. The value of the key is an object or a list.
 */
export function parseWithNumbersAsWritten(json: string, key: string): unknown {
  const body: unknown = JSON.parse(json);
  return hasNumbersUnder(key, body) ? JSON.parse(quoteNumbersUnder(key, json)) : body;
}

function hasNumbersUnder(key: string, body: unknown): boolean {
  const values = isObject(body) ? body[key] : undefined;
  if (!isObject(values)) return false;
  // Rows of text need no second pass: there may be half a million cells.
  const isNumber = (value: unknown) => typeof value === 'number';
  const isCandidate = Array.isArray(values)
    ? (value: unknown) => isNumber(value) || (Array.isArray(value) && value.some((item) => typeof item !== 'string'))
    : (value: unknown) => isNumber(value) || Array.isArray(value);
  return Object.values(values).some(isCandidate);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const quote = 0x22;
const backslash = 0x5c;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function quoteNumbersUnder(key: string, json: string): string {
  const name = JSON.stringify(key);
  const parts: string[] = [];
  let copied = 0;
  /** Brackets that are open at this position. */
  const open: string[] = [];
  let objects = 0;
  let lastText = '';
  let lastName = '';
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charAt(at);
    if (char === '{' || char === '[') {
      open.push(char);
      if (char === '{') objects += 1;
    } else if (char === '}' || char === ']') {
      if (open.pop() === '{') objects -= 1;
    } else if (char === ':' && open.length === 1) lastName = lastText;
    else if (char === '"') {
      const end = endOfText(json, at);
      if (open.length === 1) lastText = json.slice(at, end);
      at = end - 1;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      number.lastIndex = at;
      const [digits = char] = number.exec(json) ?? [];
      // Numbers in a nested object stay numbers: such a value has its own structure, for example a file.
      const isDirect = lastName === name && open.length > 1 && objects === (open[1] === '{' ? 2 : 1);
      if (isDirect && String(Number(digits)) !== digits) {
        parts.push(json.slice(copied, at), `"${digits}"`);
        copied = at + digits.length;
      }
      at += digits.length - 1;
    }
  }
  return parts.join('') + json.slice(copied);
}

/**
 * Returns the index after the closing quote. A regular expression would keep a backtracking position for each of millions of characters.
 */
function endOfText(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length) {
    const code = json.charCodeAt(end);
    if (code === quote) return end + 1;
    end += code === backslash ? 2 : 1;
  }
  return json.length;
}
