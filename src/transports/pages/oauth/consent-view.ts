import type { Principal } from '#core/principal.ts';
import { READ_SCOPE, redirectKind, WRITE_SCOPE } from '#domain/oauth/rules.ts';
import type { OAuthClient } from '#domain/oauth/store.ts';
import { renderFormToken, type PageContent, type Visitor } from '../layout.ts';
import { markup, type Markup } from '../markup.ts';

export interface ConsentView {
  readonly client: OAuthClient;
  readonly redirect: URL;
  /** Signed by the library; it is sent back unchanged. */
  readonly query: URLSearchParams;
  readonly visitor: Visitor;
  readonly principal: Principal;
}

export function renderConsentPage(view: ConsentView): PageContent {
  const { client, redirect, query, visitor, principal } = view;
  const name = client.name ?? 'A program without a name';
  const body = markup`<article class="card paper stack" aria-labelledby="consent">
<p class="over">Give a program access to your account</p>
<h1 id="consent"><bdi>${name}</bdi> asks for access</h1>
<p>The program chose this name itself. Check the address that gets the access:</p>
<p class="device-code"><code class="host">${redirect.host}</code></p>
<p class="hint">${describeDestination(redirect)}</p>
<dl class="facts"><div><dt>Organization</dt><dd><bdi>${visitor.organization}</bdi></dd></div>
<div><dt>You</dt><dd>${visitor.email}</dd></div>
<div><dt>Your role</dt><dd>${principal.role}</dd></div></dl>
<form method="post" action="/oauth/consent" class="fields">${renderFormToken(visitor)}<input type="hidden" name="oauth_query" value="${query.toString()}">
${renderPermissions(query, principal)}
<div class="actions"><button class="primary" name="intent" value="allow">Allow</button><button class="danger" name="intent" value="deny">Deny</button></div>
<p class="hint">The access covers the tool protocol only and ends when you sign out here. The program never sees your password, cannot make tokens, and has none of the rights of the lab’s staff. To use another organization, switch to it first and start again from the program.</p></form>
</article>`;
  return { title: 'Give a program access to your account', body, width: 'narrow' };
}

function describeDestination(redirect: URL): string {
  return redirectKind(redirect.href, new Set()) === 'loopback'
    ? 'A program on the computer that this browser runs on. If you have not just started one, deny.'
    : 'A web service that the operator of this lab has listed. If you do not use it, deny.';
}

function renderPermissions(query: URLSearchParams, { role, permissions: held }: Principal): Markup {
  const scopes = (query.get('scope') ?? '').split(' ');
  const mayWrite =
    scopes.includes(WRITE_SCOPE) && [...held].some((permission) => !/:(?:list|read)$/.test(permission));
  const reading = markup`<li>read experiments, sequences, results, quotes and invoices</li>`;
  if (!mayWrite)
    return markup`<div class="field"><span class="label">It may</span><ul class="steps">${reading}</ul></div>`;
  return markup`<div class="field"><span class="label">It may</span><ul class="steps">${reading}
<li>do what your role (${role}) may: order experiments and <strong>accept quotes, which commits your organization to pay</strong></li></ul></div>
<div class="field"><label for="scope">How much of it</label><select id="scope" name="scope">
<option value="${WRITE_SCOPE}" selected>All of it</option><option value="${READ_SCOPE}">Reading only</option></select></div>`;
}
