/** What the operator has set and what is missing, as rows of the pages Today and Health. */
import type { Output } from '#core/operation.ts';
import type { getLabSetup } from '../setup-contract.ts';
import { markup, type Markup } from '#ui/markup.ts';

export type SetupItem = Output<typeof getLabSetup>['items'][number];

const MATTERS: Readonly<Record<SetupItem['matter'], string>> = {
  mail: 'Mail',
  payment: 'Bank account or processor',
  seller: 'Name, address and tax id',
  backup: 'Backup',
};

const STATES: Readonly<Record<SetupItem['state'], readonly [tone: string, words: string]>> = {
  set: ['good', 'Set'],
  missing: ['attention', 'Missing'],
  check: ['yours', 'Check'],
};

/** The place of the rows on the page Health. */
export const SETUP_ANCHOR = 'set-up';

export function nameMatter({ matter }: SetupItem): string {
  return MATTERS[matter];
}

export function renderSetupCard(items: readonly SetupItem[]): Markup {
  const rows = items.map((item) => {
    const [tone, words] = STATES[item.state];
    const settings = item.settings.map((name) => markup` <code class="nowrap">${name}</code>`);
    return markup`<li><div><strong>${nameMatter(item)}</strong> <span class="chip ${tone}">${words}</span>${settings}<p class="hint">${item.sentence}</p></div></li>`;
  });
  return markup`<section class="card setup" aria-labelledby="${SETUP_ANCHOR}"><div class="card-head"><h2 id="${SETUP_ANCHOR}">Set-up</h2><a href="/docs/guide/operating">Operating the service</a></div><ul class="rows">${rows}</ul></section>`;
}
