import type { Site } from '#core/context.ts';
import type { WarningGroup } from '../sequences/warnings.ts';

/** Warns who names an address while this service delivers no webhooks. */
export function findSwitchedOff(site: Site, url: string | null | undefined): WarningGroup[] {
  if (site.deliversWebhooks || url === null || url === undefined || url === '') return [];
  const message =
    'This service delivers no webhooks at present, so nothing is sent to webhook_url. Poll GET /updates instead.';
  return [{ rule: 'webhooks_off', count: 1, examples: [{ sequence: null, message }] }];
}
