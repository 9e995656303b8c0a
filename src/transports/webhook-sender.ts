/** Sends deliveries of webhooks: claims what is due, sends it, and records what the receiver answered. */
import type { Logger } from 'pino';
import { addMs } from '#core/clock.ts';
import type { Outgoing, OutgoingOutcome } from '#core/outgoing.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Sealer } from '#core/sealer.ts';
import { DatabaseUnavailableError, type Database } from '#core/sql.ts';
import { EVENT_WORD, writeSentBody } from '#features/webhooks/body.ts';
import {
  claimDeliveries,
  findWaiting,
  updateRipeDeliveries,
  type ClaimedDelivery,
} from '#features/webhooks/claim-store.ts';
import { recordAttemptEnd } from '#features/webhooks/delivery-store.ts';
import { InHand } from '#features/webhooks/in-hand.ts';
import {
  DELIVERY_LEASE_MS,
  countFreePlaces,
  decideVerdict,
  describeOutcome,
  TEST_WORD,
} from '#features/webhooks/rules.ts';
import { readHeaders, readSecrets, type Signer } from '#features/webhooks/sealed.ts';
import { signDelivery, type SignatureStyle } from '#features/webhooks/signature.ts';
import type { Feed, Work } from '#core/context.ts';
import { createInterruptiblePause } from './interruptible-pause.ts';
import { followVerdict, holdEndpoint, recordSuccess } from '#features/webhooks/follow-verdict.ts';

export interface WebhookSenderParts {
  readonly database: Database;
  readonly work: Work;
  readonly log: Logger;
  /** An event is delivered once it has its place in the feed. */
  readonly feed: Feed;
  readonly outgoing: Outgoing;
  readonly sealer: Sealer;
  readonly style: SignatureStyle;
  /** Signs where neither the experiment nor the organization has a secret; null: such deliveries are not signed. */
  readonly deploymentSecret: string | null;
}

export interface WebhookSender {
  /** Sends everything that is due now, and what becomes due meanwhile; returns the number of attempts. */
  runDue(): Promise<number>;
  start(): void;
  /** Waits a moment for the requests in flight. */
  stop(): Promise<void>;
}

const POLL_MS = 200;
const PAUSE_AFTER_ERROR_MS = 1_000;
const STOP_MS_MAX = 2_000;

export function createWebhookSender(parts: WebhookSenderParts): WebhookSender {
  const { log } = parts;
  const { pause, wake } = createInterruptiblePause();
  const flights = createFlights(parts, wake);
  const state = { isStopped: false };
  let running: Promise<void> | undefined;

  async function runLoop(): Promise<void> {
    while (!state.isStopped) {
      const pauseMs = await flights.claimDue().then(
        (count) => (count > 0 ? 0 : POLL_MS),
        (error: unknown) => {
          if (!(error instanceof DatabaseUnavailableError))
            log.error({ err: error }, 'deliveries could not be claimed');
          return PAUSE_AFTER_ERROR_MS;
        },
      );
      if (pauseMs > 0 && !state.isStopped) await pause(pauseMs);
    }
    // What is not answered by then is sent again after the next start.
    await Promise.race([Promise.all(flights.inHand.keys()).then(wake), pause(STOP_MS_MAX)]);
  }

  return {
    async runDue() {
      let sent = 0;
      for (;;) {
        // What ends during a claim may let another delivery go, so the claim that finds nothing begins with none in hand.
        const isIdle = flights.inHand.size === 0;
        const count = await flights.claimDue();
        if (count === 0 && isIdle) return sent;
        sent += count;
        if (flights.inHand.size > 0) await Promise.race(flights.inHand.keys());
      }
    },
    start() {
      running ??= runLoop();
    },
    async stop() {
      state.isStopped = true;
      wake();
      await running;
    },
  };
}

interface Flights {
  /** When each was begun, ms of the monotonic clock. */
  readonly inHand: ReadonlyMap<Promise<void>, number>;
  /** Claims what is due and begins to send it; returns its number. */
  claimDue(): Promise<number>;
}

/** Deliveries that this process sends now, counted by lane and by organization. */
function createFlights(parts: WebhookSenderParts, wake: () => void): Flights {
  const { database, feed, log, work } = parts;
  const counts = new InHand();
  const inHand = new Map<Promise<void>, number>();

  function begin(delivery: ClaimedDelivery): void {
    counts.begin(delivery);
    const flight = send(parts, delivery)
      .catch((error: unknown) => {
        // The lease will end by itself, and then the delivery is claimed again.
        log.warn({ delivery: delivery.id, err: error }, 'the outcome of a delivery could not be recorded');
      })
      .finally(() => {
        counts.finish(delivery);
        inHand.delete(flight);
        wake();
      });
    inHand.set(flight, work.clock.readMonotonicMs());
  }

  return {
    inHand,
    async claimDue() {
      const batch = countFreePlaces(inHand.values(), work.clock.readMonotonicMs());
      const now = work.clock.now();
      if (batch === 0) return 0;
      const { hasDue, hasRipe } = await findWaiting(labScope, database.read, now);
      if (!hasDue && !hasRipe) return 0;
      await feed.settle();
      const leaseUntil = addMs(now, DELIVERY_LEASE_MS);
      const claimed = await database.runTransaction(async (tx) => {
        if (hasRipe) await updateRipeDeliveries(labScope, tx, now);
        return claimDeliveries(labScope, tx, { now, leaseUntil, batch, inHand: counts });
      });
      for (const delivery of claimed) begin(delivery);
      return claimed.length;
    },
  };
}

async function send(parts: WebhookSenderParts, delivery: ClaimedDelivery): Promise<void> {
  const { database, work } = parts;
  const begunMs = work.clock.readMonotonicMs();
  const { outcome, signedWith: signed_with } = await post(parts, delivery);
  const durationMs = Math.max(0, Math.round(work.clock.readMonotonicMs() - begunMs));
  const now = work.clock.now();
  const verdict = decideVerdict(outcome, delivery.scheduled_attempts, now);
  const scope = createOrganizationScope(delivery.organization_id);
  await database.runTransaction(async (tx) => {
    const isDelivered = verdict.kind === 'delivered';
    const endpoint = isDelivered ? undefined : await holdEndpoint(tx, delivery);
    if (isDelivered) await recordSuccess(tx, delivery);
    const isOurs = await recordAttemptEnd(
      scope,
      tx,
      {
        delivery_id: delivery.id,
        number: delivery.attempts,
        duration_ms: durationMs,
        status_code: outcome.kind === 'answered' ? outcome.status : null,
        outcome: describeOutcome(outcome),
        answer: outcome.kind === 'answered' ? outcome.excerpt : null,
        signed_with,
      },
      verdict.kind === 'retry' ? { status: 'waiting', at: verdict.at } : { status: verdict.kind, at: now },
    );
    if (isOurs && endpoint !== undefined)
      await followVerdict(work, tx, endpoint, { verdict, organizationId: delivery.organization_id });
  });
}

interface Posted {
  readonly outcome: OutgoingOutcome;
  readonly signedWith: readonly Signer[];
}

const refuse = (reason: string): Posted => ({ outcome: { kind: 'refused', reason }, signedWith: [] });

/** It is made again by the schedule, so that there is time to mend it. */
const CANNOT_OPEN: Posted = {
  outcome: {
    kind: 'failed',
    reason:
      'The service cannot open what it keeps sealed, because its key is another one now. Set the secret and the headers of the endpoint again.',
  },
  signedWith: [],
};

/** Opens secrets and headers; undefined where another key sealed them. */
function openSealed(
  sealer: Sealer,
  delivery: ClaimedDelivery,
  options: { readonly deploymentSecret: string | null; readonly at: Date },
) {
  try {
    return {
      signing: readSecrets(sealer, delivery, options),
      own: readHeaders(sealer, delivery.sealed_headers),
    };
  } catch {
    return undefined;
  }
}

async function post(parts: WebhookSenderParts, delivery: ClaimedDelivery): Promise<Posted> {
  const { outgoing, sealer, style, work, deploymentSecret } = parts;
  if (delivery.url === null) return refuse('The experiment no longer has an address.');
  if (!delivery.is_enabled) return refuse('The endpoint is switched off.');
  const body = writeSentBody(delivery, work.site.baseUrl);
  const at = work.clock.now();
  const opened = openSealed(sealer, delivery, { deploymentSecret, at });
  if (opened === undefined) return CANNOT_OPEN;
  const { signing, own } = opened;
  const signature = signDelivery(
    { deliveryId: delivery.id, body, at, secrets: signing.map(({ secret }) => secret) },
    style,
  );
  const outcome = await outgoing.post({
    url: delivery.url,
    body,
    hidden: Object.values(own),
    headers: {
      ...own,
      'content-type': 'application/json',
      'user-agent': 'Assayer-Webhooks/1.0',
      [`${style.prefix}-Event`]: delivery.experiment_id === null ? TEST_WORD : EVENT_WORD,
      [`${style.prefix}-Delivery-Id`]: delivery.id,
      ...signature,
    },
  });
  return { outcome, signedWith: signing.map(({ of }) => of) };
}
