/** Brings an event about in a sandbox and waits until it is in the feed. */
import { systemClock } from '#core/clock.ts';
import type { Output } from '#core/operation.ts';
import type { triggerEvent } from '#features/webhooks/contract.ts';
import type { Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { print, printNote } from './terminal.ts';
import { UpdateStream } from './update-stream.ts';

const LIMIT_MS = 120_000;
const POLL_MS = 100;

/** Throws when the service refuses, and when the event does not come within two minutes. */
export async function requestEvent(api: Api, eventType: string, asJson: boolean): Promise<void> {
  const trigger = await api.post<Output<typeof triggerEvent>>('/sandbox/events', { event_type: eventType });
  const code = trigger.experiment_code;
  if (!trigger.happened) {
    printNote(`${code} is ordered. Waiting until the sandbox brings ${eventType} about.`);
    await waitForEvent(api, code, eventType);
  }
  print(
    asJson
      ? JSON.stringify({ ...trigger, happened: true }, null, 2)
      : `${eventType} of ${code} has happened.`,
  );
}

async function waitForEvent(api: Api, code: string, eventType: string): Promise<void> {
  const begunMs = systemClock.readMonotonicMs();
  const updates = new UpdateStream(api, code, () => printNote('The service does not answer; trying again.'));
  try {
    while (systemClock.readMonotonicMs() - begunMs < LIMIT_MS)
      if ((await updates.take(POLL_MS)).some((update) => update.event_type === eventType)) return;
  } finally {
    updates.stop();
  }
  throw new CommandError(`${eventType} has not happened yet. Follow it with "assayer watch ${code}".`);
}
