/** Makes the next request: its door, a right request, and what is done to it. */
import { Chance } from './chance.ts';
import { writeBytes, mutate, type Draft } from './mutate.ts';
import { mutatePage, draftPage, type Visitor } from './page-shots.ts';
import { pickOperation, draftRest, type RestSources } from './rest-shots.ts';
import type { Door, Shot } from './shot.ts';
import { drawSocketShot, type SocketShot } from './socket-shots.ts';
import { draftTool } from './tool-shots.ts';
import { speakBytes, speakText } from './words.ts';
import type { World } from './world.ts';

export interface Plan {
  readonly shot: Shot;
  readonly visitor?: Visitor;
  readonly socket?: SocketShot;
}

/** A request that was prepared to succeed. */
export interface Base {
  readonly draft: () => Draft;
  /** Whether it is sent as it is. */
  readonly isKept: boolean;
}

/** How many of a hundred requests come to each door. */
const SHARES: readonly (readonly [number, Door])[] = [
  [62, 'rest'],
  [18, 'pages'],
  [16, 'tools'],
  [4, 'sockets'],
];

/** How often a request is changed, and how many times. */
const CHANGES: readonly (readonly [number, number])[] = [
  [32, 0],
  [42, 1],
  [17, 2],
  [9, 4],
];

/** `base` stands in for the generated request, where one was prepared. */
export function planRequest(world: World, seed: number, number: number, base?: Base): Plan {
  const chance = Chance.createForRequest(seed, number);
  const sources: RestSources = { ...world, chance };
  const door = base === undefined ? chance.drawWeighted(SHARES) : 'rest';
  if (door === 'sockets') return planSocket(world, chance, number);
  if (door === 'pages') {
    const { draft, visitor } = draftPage({ ...world, chance });
    for (let left = chance.drawWeighted(CHANGES); left > 0; left--) mutatePage(draft, chance);
    return { shot: createShot(world, number, door, draft, 'page', chance), visitor };
  }
  const made =
    door === 'tools'
      ? draftTool(sources)
      : base === undefined
        ? draftRestAim(sources)
        : { draft: base.draft(), aim: 'prepared' };
  const parts = { chance, pool: world.pool, callers: world.callers.all };
  const changes = base?.isKept === true ? 0 : chance.drawWeighted(CHANGES);
  for (let left = changes; left > 0; left--) mutate(made.draft, parts);
  return { shot: createShot(world, number, door, made.draft, made.aim, chance) };
}

function draftRestAim(sources: RestSources): { draft: Draft; aim: string } {
  const binding = pickOperation(sources.chance);
  return { draft: draftRest(binding, sources), aim: binding.operation.id };
}

function createShot(
  { words }: World,
  number: number,
  door: Door,
  draft: Draft,
  aim: string,
  chance: Chance,
): Shot {
  const own = words.getWords(draft.caller);
  const body = writeBytes(draft);
  const query = draft.query.length === 0 ? '' : `?${draft.query.join('&')}`;
  return {
    number,
    door,
    method: draft.method,
    url: speakText(`/${draft.segments.join('/')}${query}`, { ...own, text: encodeURIComponent(own.text) }),
    headers: { ...draft.caller.headers, ...draft.headers },
    body:
      body === null
        ? null
        : speakBytes(body, door === 'pages' ? { ...own, text: encodeURIComponent(own.text) } : own),
    caller: draft.caller,
    remoteAddress: `10.${chance.drawBelow(200)}.${chance.drawBelow(200)}.${1 + chance.drawBelow(200)}`,
    story: draft.story,
    aim,
  };
}

function planSocket({ callers }: World, chance: Chance, number: number): Plan {
  const caller = callers.getCaller(chance.pick(['admin', 'staff', 'stranger']));
  const socket = drawSocketShot(chance, caller.token ?? '');
  const shot: Shot = {
    number,
    door: 'sockets',
    method: 'GET',
    url: '/',
    headers: {},
    body: Buffer.concat(socket.parts),
    caller,
    remoteAddress: '127.0.0.1',
    story: [socket.name],
    aim: socket.name,
  };
  return { shot, socket };
}
