/**
 * The part of XML 1.0 that instruments write, read strictly: elements, attributes, text, CDATA; comments and
 * processing instructions are skipped. A document type is rejected, so the only entities are the five predefined ones
 * and character references.
 */
import type { FormatError } from '../../failures/errors.ts';
import { locateCharacter } from './line-ends.ts';
import type { TextFile } from './text.ts';

export type XmlEvent =
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string>; at: number }
  | { kind: 'text'; text: string; at: number }
  | { kind: 'close'; name: string; at: number };

const DEPTH_MAX = 64;
const NAME = /[A-Za-z_][\w.:-]*/y;
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

export function createXmlError(file: TextFile, at: number, expected: string, found: string): FormatError {
  return file.createError(locateCharacter(file.text, at), expected, found);
}

/** Yields elements by name without prefix, in order; every element must be closed. */
export function* readXmlEvents(file: TextFile): Generator<XmlEvent> {
  const { text } = file;
  const open: string[] = [];
  let at = 0;
  let elements = 0;
  while (at < text.length) {
    const next = text.indexOf('<', at);
    const end = next === -1 ? text.length : next;
    if (end > at) {
      const plain = text.slice(at, end);
      if (open.length > 0) yield { kind: 'text', text: unescapeText(file, plain, at), at };
      else if (plain.trim() !== '')
        throw createXmlError(file, at, 'an element', 'text outside of all elements');
    }
    if (next === -1) break;
    const skipped = skip(file, next);
    if (skipped !== null) {
      if (skipped.text !== null && open.length > 0) yield { kind: 'text', text: skipped.text, at: next };
      at = skipped.end;
    } else if (text[next + 1] === '/') {
      const { name, end: after } = readClosingTag(file, next);
      const expected = open.pop();
      if (expected !== name)
        throw createXmlError(
          file,
          next,
          expected === undefined ? 'no closing tag' : `</${expected}>`,
          `</${name}>`,
        );
      yield { kind: 'close', name: removePrefix(name), at: next };
      at = after;
    } else {
      const tag = readOpeningTag(file, next);
      elements += 1;
      if (open.length === 0 && elements > 1)
        throw createXmlError(file, next, 'one outermost element', `<${tag.name}>`);
      yield { kind: 'open', name: removePrefix(tag.name), attributes: tag.attributes, at: next };
      if (tag.empty) yield { kind: 'close', name: removePrefix(tag.name), at: next };
      else open.push(tag.name);
      if (open.length > DEPTH_MAX)
        throw createXmlError(file, next, `at most ${DEPTH_MAX} nested elements`, 'more');
      at = tag.end;
    }
  }
  const last = open.pop();
  if (last !== undefined)
    throw createXmlError(file, text.length, `</${last}> (the file looks cut off)`, 'end of file');
  if (elements === 0) throw createXmlError(file, 0, 'an XML element', 'none');
}

/** Skips comments, processing instructions and CDATA sections; null where none starts. */
function skip(file: TextFile, at: number): { end: number; text: string | null } | null {
  const { text } = file;
  const locateEnd = (start: string, stop: string): number => {
    const end = text.indexOf(stop, at + start.length);
    if (end === -1) throw createXmlError(file, at, `${stop} (the file looks cut off)`, 'end of file');
    return end;
  };
  if (text.startsWith('<?', at)) return { end: locateEnd('<?', '?>') + 2, text: null };
  if (text.startsWith('<!--', at)) return { end: locateEnd('<!--', '-->') + 3, text: null };
  if (text.startsWith('<![CDATA[', at)) {
    const end = locateEnd('<![CDATA[', ']]>');
    return { end: end + 3, text: text.slice(at + 9, end) };
  }
  if (text.startsWith('<!', at)) throw createXmlError(file, at, 'no document type', text.slice(at, at + 12));
  return null;
}

function readNameAt(file: TextFile, at: number): string {
  NAME.lastIndex = at;
  const name = NAME.exec(file.text)?.[0];
  if (name === undefined)
    throw createXmlError(file, at, 'the name of an element', file.text.slice(at, at + 8) || 'end of file');
  return name;
}

function readClosingTag(file: TextFile, at: number): { name: string; end: number } {
  const name = readNameAt(file, at + 2);
  const end = file.text.indexOf('>', at);
  if (end === -1 || file.text.slice(at + 2 + name.length, end).trim() !== '')
    throw createXmlError(file, at, `</${name}>`, end === -1 ? 'end of file' : file.text.slice(at, end + 1));
  return { name, end: end + 1 };
}

function readOpeningTag(
  file: TextFile,
  at: number,
): { name: string; attributes: ReadonlyMap<string, string>; empty: boolean; end: number } {
  const { text } = file;
  const name = readNameAt(file, at + 1);
  const attributes = new Map<string, string>();
  let end = at + 1 + name.length;
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const found = ATTRIBUTE.exec(text);
    if (found === null) break;
    attributes.set(removePrefix(found[1]), unescapeText(file, found[2] ?? found[3], end));
    end = ATTRIBUTE.lastIndex;
  }
  while (end < text.length && /\s/.test(text[end])) end += 1;
  const empty = text[end] === '/';
  if (empty) end += 1;
  if (text[end] !== '>')
    throw createXmlError(file, end, `the end of <${name}>`, text.slice(end, end + 8) || 'end of file');
  return { name, attributes, empty, end: end + 1 };
}

function removePrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function unescapeText(file: TextFile, text: string, at: number): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&\s]{0,12};?)/g, (whole, body: string, offset: number) => {
    const named = body.endsWith(';') ? body.slice(0, -1) : '';
    const code = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(named);
    const point =
      code === null ? Number.NaN : Number.parseInt(code[1] ?? code[2], code[1] === undefined ? 10 : 16);
    if (isCharacter(point)) return String.fromCodePoint(point);
    const known = Object.hasOwn(ENTITIES, named) ? ENTITIES[named] : undefined;
    if (known === undefined) throw createXmlError(file, at + offset, 'a predefined entity', whole);
    return known;
  });
}

/** Whether XML 1.0 has the character (§2.2); half of a surrogate pair and most control characters are none. */
function isCharacter(point: number): boolean {
  if (point < 0x20) return point === 9 || point === 10 || point === 13;
  return point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) && point !== 0xfffe && point !== 0xffff;
}

export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** All text directly inside the element, joined. */
  text: string;
  /** Start of the element in the text. */
  at: number;
}

const ELEMENTS_MAX = 100_000;

/** Reads the whole document as a tree, for files of moderate size. */
export function parseXmlTree(file: TextFile): XmlElement {
  const root: XmlElement = { name: '', attributes: new Map(), children: [], text: '', at: 0 };
  const path = [root];
  let count = 0;
  for (const event of readXmlEvents(file)) {
    const parent = path[path.length - 1];
    if (event.kind === 'text') parent.text += event.text;
    else if (event.kind === 'close') path.pop();
    else {
      count += 1;
      if (count > ELEMENTS_MAX)
        throw createXmlError(file, event.at, `at most ${ELEMENTS_MAX} elements`, 'more');
      const { name, attributes, at } = event;
      const element: XmlElement = { name, attributes, children: [], text: '', at };
      parent.children.push(element);
      path.push(element);
    }
  }
  return root.children[0];
}

export function findChild(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((each) => each.name === name);
}
