/** The request of a program: which program asks, and where its code goes. No answer goes to an unchecked address. */
import { isRegisteredRedirect, classifyRedirect, type RedirectKind } from '#core/redirect-policy.ts';
import { findOAuthClient, type OAuthClient } from '#features/people/programs/store.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';

export interface ProgramRequest {
  readonly client: OAuthClient;
  readonly redirect: URL;
  readonly kind: RedirectKind;
}

/** What is wrong with the request of a program, in words for its person. */
export interface ProgramProblem {
  readonly title: string;
  readonly what: Markup;
}

/** Returns the request, or what is wrong with it. */
export async function readProgramRequest(
  parts: PagesParts,
  query: URLSearchParams,
): Promise<{ readonly asked: ProgramRequest } | { readonly problem: ProgramProblem }> {
  for (const name of ['client_id', 'redirect_uri'])
    if (query.getAll(name).length > 1)
      return refuse('The request is unclear', markup`<p>It names <code>${name}</code> more than once.</p>`);
  const clientId = query.get('client_id') ?? '';
  const client = await findOAuthClient(parts.database.read, clientId);
  if (client === undefined) return refuseClient(clientId);
  const address = query.get('redirect_uri') ?? '';
  if (address === '' || !URL.canParse(address))
    return refuse(
      'The program does not say where its answer goes',
      markup`<p>The request of <bdi>${nameProgram(client)}</bdi> has no <code>redirect_uri</code> that is an address.</p>`,
    );
  const verdict = classifyRedirect(address, parts.redirectPolicy);
  if (!isRegisteredRedirect(client.redirect_uris, address))
    return refuseRedirect(client, address, 'It is none of the addresses that the program registered here.');
  if (verdict.kind === 'refused') return refuseRedirect(client, address, `Here ${verdict.reason}.`);
  return { asked: { client, redirect: new URL(address), kind: verdict.kind } };
}

export function nameProgram(client: OAuthClient): string {
  return client.name ?? 'A program without a name';
}

function refuseClient(clientId: string): { readonly problem: ProgramProblem } {
  if (clientId === '')
    return refuse(
      'The program does not say who it is',
      markup`<p>The request has no <code>client_id</code>.</p>`,
    );
  return refuse(
    'This program is not known here',
    markup`<p>No program with the <code>client_id</code> <code class="host">${clientId.slice(0, 200)}</code> is registered at this service. Perhaps it registered at another one, or before this one was set up anew.</p>`,
  );
}

function refuseRedirect(
  client: OAuthClient,
  address: string,
  why: string,
): { readonly problem: ProgramProblem } {
  return refuse(
    'This address may not receive your access',
    markup`<p><bdi>${nameProgram(client)}</bdi> asks to have your access sent to this <code>redirect_uri</code>:</p>
<p><code class="host">${address.slice(0, 500)}</code></p>
<p>${why}</p>`,
  );
}

function refuse(title: string, what: Markup): { readonly problem: ProgramProblem } {
  return { problem: { title, what } };
}

export function renderProblem({ title, what }: ProgramProblem, requestId: string): PageContent {
  const body = markup`<article class="card error" aria-labelledby="error"><p class="over">Nothing was given away</p>
<h1 id="error">${title}</h1>
${what}
<p><strong>What to do:</strong> in the program, remove the connection to this service, add it again and connect: it then registers anew. If that does not help, show this page to the maker of the program or to the operator of this service.</p>
<p class="hint">Request <code>${requestId}</code></p></article>`;
  return { title, body, width: 'narrow', status: 400 };
}
