/** Switches the organization that a person acts in. */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '#core/ids.ts';
import { labScope } from '#core/scope.ts';
import { lockOrganizations, organizationsOfUser } from '#domain/organizations/store.ts';
import { enter } from '#workflows/people/effects.ts';
import { foundOrganization } from '#workflows/people/sign-up.ts';
import { personalForm, personalPage, type PersonalContext, type PersonalFormContext } from '../context.ts';
import { field, shortField } from '../http.ts';
import { formToken, type PageContent } from '../layout.ts';
import { markup, type Markup } from '../markup.ts';
import type { PagesParts } from '../parts.ts';
import { originOf, type SignedIn } from '../session.ts';
import { sentenceCase } from '../words.ts';

const NAME_LENGTH_MAX = 200;

export function addOrganizationSwitch(app: FastifyInstance, parts: PagesParts): void {
  personalPage(app, parts, '/organizations', organizationsPage);
  personalForm(app, parts, '/organizations/enter', enterOne);
  personalForm(app, parts, '/organizations/found', foundOne);
}

async function organizationsPage({ parts, signedIn }: PersonalContext): Promise<PageContent> {
  const all = await organizationsOfUser(labScope, parts.database.read, signedIn.userId);
  const rows = all.map(({ id, name, role }) => {
    const isActive = id === signedIn.principal?.organizationId;
    return markup`<li><div><strong><bdi>${name}</bdi></strong><p class="hint">${sentenceCase(role)}</p></div>${
      isActive
        ? markup`<span class="chip">active</span>`
        : markup`<form method="post" action="/organizations/enter">${formToken(signedIn.visitor)}<input type="hidden" name="organization_id" value="${id}"><button class="quiet">Switch to it</button></form>`
    }</li>`;
  });
  const body = markup`<article class="card door" aria-labelledby="organizations"><h1 id="organizations">Your organizations</h1>
${all.length === 0 ? markup`<p>You belong to no organization at the moment. Ask an administrator of yours for an invitation.</p>` : markup`<ul class="rows">${rows}</ul>`}${parts.work.site.signUp === 'open' && foundForm(signedIn)}</article>`;
  return { title: 'Your organizations', body, width: 'narrow' };
}

async function enterOne({ parts, signedIn, form }: PersonalFormContext): Promise<string> {
  const organizationId = field(form, 'organization_id');
  if (isUuid(organizationId)) {
    const { sessionId, userId } = signedIn;
    await parts.database.transaction((tx) => enter(parts.work, tx, { sessionId, userId, organizationId }));
  }
  return '/';
}

function foundForm({ visitor }: SignedIn): Markup {
  return markup`<details><summary>Create another organization</summary><form method="post" action="/organizations/found" class="fields">${formToken(visitor)}
<div class="field"><label for="organization">Name</label><input id="organization" type="text" name="organization" required maxlength="200" autocomplete="organization"></div>
<div><button>Create the organization</button></div></form></details>`;
}

async function foundOne({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const name = shortField(form, 'organization', NAME_LENGTH_MAX);
  if (name === '' || parts.work.site.signUp !== 'open') return '/organizations';
  const { sessionId, userId, email } = signedIn;
  await parts.database.transaction(async (tx) => {
    await lockOrganizations(tx);
    const founder = { userId, email, name };
    const organizationId = await foundOrganization(parts.work, tx, originOf(request), founder);
    await enter(parts.work, tx, { sessionId, userId, organizationId });
  });
  return '/';
}
