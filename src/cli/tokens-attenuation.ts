/** Converts options to the limits of a derived token. */
import type { AttenuationSpec } from '#core/capability.ts';
import { createUsageError, type CommandGuide } from './options.ts';

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
export function parseAttenuation(guide: CommandGuide, values: Given): AttenuationSpec {
  const spec = {
    read_only: values['read-only'],
    non_destructive: values['non-destructive'],
    allowed_actions: parseList(values.actions),
    allowed_resources: parseList(values.resources),
    allowed_org_ids: parseList(values.organizations),
    resource_ids: parseList(values.experiments),
    expires_at: values['expires-at'],
    max_spend_cents: parseWholeNumber(guide, values['max-spend']),
  };
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

function parseList(text: string | boolean | undefined): string[] | undefined {
  return typeof text === 'string' ? text.split(',').map((item) => item.trim()) : undefined;
}

function parseWholeNumber(guide: CommandGuide, text: string | boolean | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw createUsageError(guide, `--max-spend is a whole number of cents, not "${text}"`);
  return Number(text);
}
