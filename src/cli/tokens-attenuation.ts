/** Converts options to the limits of a derived token. */
import type { AttenuationSpec } from '#core/capability.ts';
import { usageError, type CommandGuide } from './options.ts';

export const ATTENUATION_OPTIONS = {
  'read-only': { type: 'boolean' },
  'non-destructive': { type: 'boolean' },
  actions: { type: 'string' },
  resources: { type: 'string' },
  organizations: { type: 'string' },
  experiments: { type: 'string' },
  'expires-at': { type: 'string' },
  'max-spend': { type: 'string' },
} as const;

type Given = {
  readonly [Name in keyof typeof ATTENUATION_OPTIONS]?: string | boolean | undefined;
};

/** Contains only the given limits: an absent one is no limit. */
export function attenuationFrom(guide: CommandGuide, given: Given): AttenuationSpec {
  const spec = {
    read_only: given['read-only'],
    non_destructive: given['non-destructive'],
    allowed_actions: listOf(given.actions),
    allowed_resources: listOf(given.resources),
    allowed_org_ids: listOf(given.organizations),
    resource_ids: listOf(given.experiments),
    expires_at: given['expires-at'],
    max_spend_cents: wholeNumber(guide, given['max-spend']),
  };
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

function listOf(text: string | boolean | undefined): string[] | undefined {
  return typeof text === 'string' ? text.split(',').map((item) => item.trim()) : undefined;
}

function wholeNumber(guide: CommandGuide, text: string | boolean | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw usageError(guide, `--max-spend is a whole number of cents, not "${text}"`);
  return Number(text);
}
