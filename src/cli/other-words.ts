/** What people type who know other command lines, and which word of ours they mean. */
import { countSlips } from '#core/nearest.ts';

/** Letters from which on a word may have two slips. */
const LONG_WORD_LETTERS = 5;
/** With fewer letters too many words begin alike. */
const BEGUN_LETTERS_MIN = 3;

/** Our words for a word of others, the likeliest first; where one is no word of the command, the next is tried. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  abort: ['cancel'],
  add: ['create', 'submit'],
  approve: ['accept'],
  attach: ['upload'],
  auth: ['login'],
  browse: ['open'],
  buy: ['pay', 'accept'],
  chart: ['plot', 'charts'],
  check: ['verify', 'review'],
  confirm: ['accept'],
  copy: ['clone'],
  cost: ['estimate'],
  create: ['submit', 'mint'],
  curves: ['plot'],
  decline: ['reject'],
  delete: ['revoke', 'cancel'],
  describe: ['show'],
  destroy: ['revoke', 'cancel'],
  draft: ['import'],
  duplicate: ['clone'],
  email: ['mail'],
  events: ['watch', 'listen'],
  export: ['download'],
  fetch: ['download'],
  figure: ['plot'],
  follow: ['watch', 'listen'],
  get: ['show', 'list'],
  graph: ['plot'],
  info: ['show', 'whoami'],
  inspect: ['show'],
  issue: ['create', 'mint'],
  ls: ['list'],
  logs: ['watch'],
  me: ['whoami'],
  modify: ['edit'],
  mint: ['create'],
  new: ['create', 'submit'],
  order: ['submit'],
  package: ['download'],
  payment: ['pay'],
  pdf: ['download', 'quote'],
  price: ['estimate', 'prices'],
  publish: ['release'],
  refuse: ['reject'],
  register: ['login'],
  remove: ['revoke', 'cancel'],
  replay: ['redeliver'],
  resend: ['redeliver'],
  restrict: ['attenuate'],
  rm: ['revoke', 'cancel'],
  run: ['start'],
  search: ['targets', 'list'],
  send: ['submit', 'trigger'],
  serve: ['start'],
  server: ['start'],
  set: ['edit'],
  settings: ['config'],
  signin: ['login'],
  'sign-in': ['login', 'sign-in-link'],
  signout: ['logout'],
  'sign-out': ['logout'],
  status: ['show', 'whoami'],
  tail: ['watch', 'listen'],
  up: ['start'],
  update: ['edit'],
  upgrade: ['migrate'],
  upload: ['import', 'submit'],
  user: ['whoami'],
  users: ['whoami', 'staff'],
  view: ['show', 'list'],
  wait: ['watch'],
  withdraw: ['cancel'],
  zip: ['download'],
};

/**
 * Finds the known words that were probably meant: other words for it, the one that it misspells, or the one that it
 * begins.
 */
export function findMeant(word: string, known: readonly string[]): readonly string[] {
  const lower = word.toLowerCase();
  if (known.includes(lower)) return [lower];
  const similar = findOthers(lower, known);
  if (similar.length > 0) return similar;
  const near = findNearest(lower, known) ?? findBegun(lower, known);
  return near === undefined ? [] : [near];
}

/** The known words that mean the same as a word of other command lines. */
export function findOthers(word: string, known: readonly string[]): readonly string[] {
  const others = Object.hasOwn(OTHER_WORDS, word) ? (OTHER_WORDS[word] ?? []) : [];
  return others.filter((candidate) => known.includes(candidate));
}

/** Such as `"show" or "list"`. */
export function formatChoice(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' or ');
}

/** Finds the known word that differs by one slip from the given one, or by two when it is long. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: countSlips(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= (best.candidate.length < LONG_WORD_LETTERS ? 1 : 2)
    ? best.candidate
    : undefined;
}

/** The only known word that begins so. */
function findBegun(word: string, known: readonly string[]): string | undefined {
  const matches =
    word.length < BEGUN_LETTERS_MIN ? [] : known.filter((candidate) => candidate.startsWith(word));
  return matches.length === 1 ? matches[0] : undefined;
}
