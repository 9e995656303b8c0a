/** Streams that tell an open page to read itself anew: the feeds of the API, for the session of a browser. */
import type { FastifyReply } from 'fastify';
import { addMs } from '#core/clock.ts';
import { fail } from '#core/failures.ts';
import { LiveStream } from '#core/live-stream.ts';
import type { Operation } from '#core/operation.ts';
import { streamUpdates, streamAllUpdates } from '../contract.ts';
import { computeFirstIdAt } from '../places.ts';
import type { EventType } from '../types.ts';
import { sendStream } from '../event-stream.ts';
import { addPortalPage, type PortalContext } from '#ui/context.ts';
import { queryParameter } from '#ui/http.ts';
import type { Live, Streamed } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import type { LiveFeed } from '../live-feed.ts';

declare module '#ui/parts.ts' {
  interface PagesParts {
    readonly liveFeed: LiveFeed;
  }
}

const OWN_PATH = '/live';
const LAB_PATH = '/lab/live';
/** The clocks of two processes may differ by so much; a page that is read once too often does no harm. */
const CLOCKS_APART_MS = 5_000;

/** The parameter that names what a page shows. */
const ABOUT = 'about';
const SHOWN_MAX = 40;
/** Rare changes that may show on the page of any order. */
const ON_EVERY_PAGE = ['jobs', 'organizations', 'simulated-lab', 'targets'] as const;

type Query = Readonly<Record<string, string>>;
type Feed = Pick<Operation, 'id' | 'permission' | 'alsoNeeds'>;

export function addLiveStreams(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, OWN_PATH, (context) =>
    follow(context, streamUpdates, { names: ['experiment_id', 'follow'] }),
  );
  addPortalPage(routes, parts, LAB_PATH, (context) =>
    follow(context, streamAllUpdates, { names: ['filter', 'follow'], about: ABOUT }),
  );
}

/** Follows the person's organization, or one experiment of it, from now on. */
export function followOwn(context: PortalContext, experimentId?: string): Live | undefined {
  const query: Query = experimentId === undefined ? {} : { experiment_id: experimentId };
  return findLive(context, streamUpdates, OWN_PATH, query);
}

/** What happens within an order and shows on no list. */
const WITHIN_AN_ORDER: readonly EventType[] = ['raw_file.recorded', 'analysis.progressed'];
/** A list of every order changes often, and reads more than a page about one of them. */
const BETWEEN_LISTS_MS = 3_000;

/** What a page of the lab shows. */
export interface Shown {
  /** Ids of experiments, whose updates it follows; those of every experiment when there are none. */
  readonly experiments?: readonly string[];
  /** Ids of other objects. */
  readonly objects?: readonly string[];
}

/** Follows what the page shows, from now on. */
export function followAll(
  context: PortalContext,
  { experiments = [], objects = [] }: Shown,
): Live | undefined {
  // A page with more than an address can name follows them all.
  if (experiments.length > SHOWN_MAX) return findLive(context, streamAllUpdates, LAB_PATH, {});
  return findLive(context, streamAllUpdates, LAB_PATH, {
    ...(experiments.length === 0 ? {} : { filter: `in(experiment_id,${experiments.join(',')})` }),
    [ABOUT]: [...experiments, ...objects, ...ON_EVERY_PAGE].join(','),
  });
}

/** Follows what changes rows of lists: lists by the first word of their address. */
export function followLists(context: PortalContext, lists: readonly string[]): Live | undefined {
  const live = findLive(context, streamAllUpdates, LAB_PATH, {
    filter: `not(in(event_type,${WITHIN_AN_ORDER.join(',')}))`,
    [ABOUT]: [...lists, ...ON_EVERY_PAGE].join(','),
  });
  return live === undefined ? undefined : { ...live, betweenMs: BETWEEN_LISTS_MS };
}

function findLive(
  { parts, session }: PortalContext,
  feed: Feed,
  path: string,
  query: Query,
): Streamed | undefined {
  if (!canCall(session, feed)) return undefined;
  const after = computeFirstIdAt(addMs(parts.work.clock.now(), -CLOCKS_APART_MS));
  return { stream: `${path}?${new URLSearchParams({ ...query, after }).toString()}` };
}

async function follow(
  { api, parts, reply, request, session }: PortalContext,
  feed: Feed,
  { names, about }: { readonly names: readonly string[]; readonly about?: string },
): Promise<FastifyReply> {
  if (!canCall(session, feed)) throw fail('route_not_found', { method: 'GET', path: '' });
  const parameters = names.map((name) => [name, queryParameter(request, name)] as const);
  const answer = await api.reply(feed, {
    query: Object.fromEntries(parameters.filter(([, value]) => value !== '')),
    headers: { 'last-event-id': queryParameter(request, 'after') },
  });
  if (!(answer.body instanceof LiveStream)) throw new Error(`${feed.id} answered no stream`);
  const words = about === undefined ? '' : queryParameter(request, about);
  return sendStream(parts.liveFeed, request, reply, {
    stream: answer.body,
    principal: session.principal,
    about: words === '' ? undefined : new Set(words.split(',')),
  });
}
