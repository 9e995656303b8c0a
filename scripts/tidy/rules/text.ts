/** What must not be left in any file, and documents whose links lead somewhere. */
import { posix } from 'node:path';
import { isAt } from '../tokens.ts';
import { isTest, type Finding, type Rule, type Source, type Tree } from '../tree.ts';

/** Spelt with a class, so that this file does not hold what it looks for. */
const MARKER = /\b(?:[T]ODO|[F]IXME|[X]XX|[H]ACK)\b/;
const MACHINE_PATH = /(?<![\w.~$}*-])\/(?:work|root|(?:home|Users)\/[\w.-]+)\//;
const REGISTRY =
  /\b(?:registry|npm|artifactory|nexus|mirror)\.[a-z0-9-]+(?:\.[a-z0-9-]+)+\b|^\s*(?:@[\w-]+:)?registry\s*=/i;
const CONFLICT = /^(?:<{7}|>{7}) \S|^={7}$/;
const EVERYWHERE = [
  { rule: 'no-conflict', pattern: CONFLICT, message: 'the mark of a merge that was not finished' },
  { rule: 'no-marker', pattern: MARKER, message: 'a marker of unfinished work' },
  { rule: 'no-machine-path', pattern: MACHINE_PATH, message: 'a path of one machine' },
  { rule: 'no-registry', pattern: REGISTRY, message: 'the name of a package registry' },
];
const UNREAD = /^(?:package-lock\.json|LICENSE)$/;

export const textRules: Rule = {
  names: [...EVERYWHERE.map(({ rule }) => rule), 'no-focus', 'document-title', 'document-link'],
  check: (tree) => [
    ...[...tree.files].flatMap(([file, text]) => findLeftovers(file, text)),
    ...tree.sources.flatMap(findFocus),
    ...[...tree.files].flatMap(([file, text]) =>
      file.endsWith('.md') ? checkDocument(tree, file, text) : [],
    ),
  ],
};

function findLeftovers(file: string, text: string): Finding[] {
  if (UNREAD.test(file)) return [];
  return text.split('\n').flatMap((line, index) =>
    EVERYWHERE.flatMap(({ rule, pattern, message }) => {
      const found = pattern.exec(line)?.[0];
      return found === undefined ? [] : [{ rule, file, line: index + 1, message: `${message}: ${found}` }];
    }),
  );
}

const SUITES = new Set('test it describe suite'.split(' '));

/** A test that runs alone, and one that never runs; skipping at run time must give its reason. */
function findFocus(source: Source): Finding[] {
  if (!isTest(source.path)) return [];
  const { tokens } = source;
  return tokens.flatMap((token, at) => {
    const call =
      ['only', 'skip'].includes(token.text) && isAt(tokens, at - 1, '.') && isAt(tokens, at + 1, '(');
    const isFixed = call && SUITES.has(tokens[at - 2]?.text ?? '');
    const isSilent = call && token.text === 'skip' && isAt(tokens, at + 2, ')');
    const isOption = isAt(tokens, at, 'only', ':', 'true') || isAt(tokens, at, 'skip', ':', 'true');
    if (!isFixed && !isSilent && !isOption) return [];
    const message = `${token.text} keeps tests from running${isSilent ? ' and gives no reason' : ''}`;
    return [{ rule: 'no-focus', file: source.path, line: token.line, message }];
  });
}

function checkDocument(tree: Tree, file: string, text: string): Finding[] {
  const lines = removeCode(text);
  const titles = lines.flatMap((line, index) => (/^# \S/.test(line) ? [index + 1] : []));
  const findings: Finding[] = [];
  if (titles.length !== 1) {
    const message = `a document has one "# Title"; this one has ${titles.length}`;
    findings.push({ rule: 'document-title', file, line: titles[1] ?? 1, message });
  }
  for (const [index, line] of lines.entries()) {
    for (const target of findLinks(line)) {
      if (isLinkKnown(tree, file, target)) continue;
      findings.push({
        rule: 'document-link',
        file,
        line: index + 1,
        message: `${target} leads nowhere`,
      });
    }
  }
  return findings;
}

/** The lines with code taken out. */
function removeCode(text: string): string[] {
  let fence: string | undefined;
  return text.split('\n').map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3);
    const inside = fence !== undefined;
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = inside ? undefined : mark;
    return inside || mark !== undefined ? '' : line.replaceAll(/`[^`]*`/g, '``');
  });
}

function findLinks(line: string): string[] {
  const inline = [...line.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)].map(
    (match) => match[1] ?? '',
  );
  const reference = /^\s*\[[^\]]+\]:\s*<?([^\s>]+)/.exec(line)?.[1];
  return reference === undefined ? inline : [...inline, reference];
}

function isLinkKnown(tree: Tree, file: string, target: string): boolean {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return true;
  const [path = '', anchor] = target.split('#');
  const full = path === '' ? file : posix.join(posix.dirname(file), decodeURI(path)).replace(/\/$/, '');
  const text = tree.files.get(full);
  if (text === undefined) return [...tree.files.keys()].some((known) => known.startsWith(`${full}/`));
  return anchor === undefined || !full.endsWith('.md') || listAnchors(text).has(anchor);
}

/** The anchors a reader of the document can jump to: its headings as the usual hosts spell them. */
function listAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const line of text.split('\n')) {
    const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    for (let copy = 0; ; copy += 1) {
      const name = copy === 0 ? slug : `${slug}-${copy}`;
      if (anchors.has(name)) continue;
      anchors.add(name);
      break;
    }
  }
  return anchors;
}
