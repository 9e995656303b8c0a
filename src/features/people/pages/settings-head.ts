import { getBillingProfile } from '../../billing/contract.ts';
import { listShares } from '../../shares/contract.ts';
import { listWebhooks } from '../../webhooks/contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';

const TABS = [
  ['people', '/organization', 'People', null],
  ['tokens', '/organization/tokens', 'Tokens', null],
  ['shares', '/organization/shares', 'Shared links', listShares],
  ['webhooks', '/organization/webhooks', 'Webhooks', listWebhooks],
  ['billing', '/organization/billing', 'Billing', getBillingProfile],
] as const;

/** Renders the head of the organization's pages, with tabs. */
export function renderSettingsHead(session: Session, here: (typeof TABS)[number][0]): Markup {
  const { visitor } = session;
  const links = TABS.filter(([, , , needs]) => needs === null || canCall(session, needs)).map(
    ([key, href, label]) =>
      markup`<a href="${href}"${key === here && markup` aria-current="page"`}>${label}</a>`,
  );
  return markup`<div class="page-head"><h1><bdi>${visitor.organization}</bdi></h1></div>
<nav class="tabs" aria-label="Organization">${links}</nav>`;
}
