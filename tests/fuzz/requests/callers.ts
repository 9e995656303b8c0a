/** Everybody who asks: with every role, with less than a role, from elsewhere, and with nothing that holds. */
import { expectStatus } from '#testing/builders.ts';
import { OAuth } from '#testing/oauth.ts';
import { getText, type TestService } from '#testing/service.ts';
import type { NewPerson } from '#testing/people.ts';

export interface Caller {
  readonly name: string;
  /** Whose records it may see. Null: nobody's, or those of an organization that has no words of its own. */
  readonly organizationId: string | null;
  /** Sees the records of every organization. */
  readonly isStaff: boolean;
  /** What it writes may be shown to others: the lab's words to its clients, a partner's to whom it brings. */
  readonly isHeardByOthers: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The token itself, where it is one. */
  readonly token: string | null;
  /** Whether its credential is meant to hold until somebody revokes it. */
  readonly isLive: boolean;
}

interface Claims {
  readonly org: string;
  readonly sub: string;
}

const ADOPTED_MAX = 12;
const SECRETS_MAX = 60;
const TOKEN = /^asy_test_/;

/** Without a credential, and without anything that it might see. */
const NOBODY: Caller = {
  name: 'nobody',
  organizationId: null,
  isStaff: false,
  isHeardByOthers: false,
  headers: {},
  token: null,
  isLive: false,
};
const MINUTE_MS = 60_000;

export class Callers {
  readonly #service: TestService;
  readonly #oauth: OAuth;
  readonly #staffUsers = new Set<string>();
  readonly #partnerUsers = new Set<string>();
  /** How each live caller is made again, by name. */
  readonly #makers = new Map<string, () => Promise<Caller>>();
  readonly #byName = new Map<string, Caller>();
  readonly #adopted: Caller[] = [];
  readonly #seen = new Set<string>();
  /** Secrets that do not look like a token: a log must not hold them. */
  readonly secrets = new Set<string>();

  private constructor(service: TestService) {
    this.#service = service;
    this.#oauth = new OAuth(service);
  }

  static async make(service: TestService): Promise<Callers> {
    const callers = new Callers(service);
    callers.#addHopeless();
    await callers.#addRoles();
    await callers.#addRestricted();
    await callers.#addEnded();
    return callers;
  }

  get all(): readonly Caller[] {
    return [...this.#byName.values(), ...this.#adopted];
  }

  getCaller(name: string): Caller {
    const found = this.#byName.get(name);
    if (found === undefined) throw new Error(`nobody is called ${name}`);
    return found;
  }

  /** Has a secret looked for in the log; the oldest makes room. */
  hideLater(secret: string): void {
    this.secrets.add(secret);
    const [oldest] = this.secrets;
    if (this.secrets.size > SECRETS_MAX && oldest !== undefined) this.secrets.delete(oldest);
  }

  /** Makes a live caller again, whose credential somebody has revoked. */
  async renew({ name }: Caller): Promise<void> {
    const make = this.#makers.get(name);
    if (make === undefined) return this.#dropAdopted(name);
    this.#byName.set(name, await make());
  }

  #dropAdopted(name: string): void {
    const at = this.#adopted.findIndex((caller) => caller.name === name);
    if (at >= 0) this.#adopted.splice(at, 1);
  }

  /** Takes a token that an answer showed among the callers. */
  adopt(token: string): void {
    if (this.#seen.has(token)) return;
    const caller = this.#withToken(`adopted ${token.slice(-4)}`, token);
    if (caller === undefined) return;
    this.#adopted.push(caller);
    if (this.#adopted.length > ADOPTED_MAX) this.#adopted.shift();
  }

  #withToken(name: string, token: string): Caller | undefined {
    const claims = parseClaims(token);
    if (claims === undefined) return undefined;
    this.#seen.add(token);
    return {
      name,
      organizationId: claims.org,
      isStaff: this.#staffUsers.has(claims.sub),
      isHeardByOthers: this.#staffUsers.has(claims.sub) || this.#partnerUsers.has(claims.sub),
      headers: { authorization: `Bearer ${token}` },
      token,
      isLive: true,
    };
  }

  async #addPerson(name: string, person: NewPerson): Promise<void> {
    const make = async (): Promise<Caller> => {
      const token = await this.#service.issueToken(person);
      const claims = parseClaims(token);
      if (claims !== undefined && person.isStaff === true) this.#staffUsers.add(claims.sub);
      if (claims !== undefined && person.isPartner === true) this.#partnerUsers.add(claims.sub);
      const caller = this.#withToken(name, token);
      if (caller === undefined) throw new Error(`${name} got no token`);
      return caller;
    };
    this.#makers.set(name, make);
    this.#byName.set(name, await make());
  }

  async #addRoles(): Promise<void> {
    for (const role of ['admin', 'member', 'viewer', 'billing'] as const)
      await this.#addPerson(role, { role });
    await this.#addPerson('staff', { role: 'admin', isStaff: true });
    await this.#addPerson('keeper', { role: 'admin', isStaff: true, isPartner: true });
    await this.#addPerson('partner', { role: 'admin', isPartner: true });
    await this.#addPerson('stranger', { role: 'admin', ownOrganization: true });
    await this.#addPerson('other stranger', { role: 'member', ownOrganization: true });
  }

  /** Attenuated tokens of the administrator, and the access of an agent. */
  async #addRestricted(): Promise<void> {
    const inAnHour = new Date(this.#service.clock.now().getTime() + 60 * MINUTE_MS).toISOString();
    const restrictions: Readonly<Record<string, object>> = {
      'read only': { read_only: true },
      'not destructive': { non_destructive: true },
      'some actions': { allowed_actions: ['list', 'read', 'create'] },
      'some resources': { allowed_resources: ['experiment', 'sequence', 'token', 'user'] },
      'no money': { max_spend_cents: 0 },
      'an hour': { expires_at: inAnHour },
    };
    for (const [name, attenuation] of Object.entries(restrictions)) {
      await this.#add(name, async () => {
        const { token } = this.getCaller('admin');
        const body = { token, name, attenuation };
        const answer = await this.#service.ask('POST', '/tokens/attenuate', { token, body });
        // Whoever could derive one has lost that right; the next round makes a new administrator.
        if (answer.status !== 201) await this.renew(this.getCaller('admin'));
        const made =
          answer.status === 201 ? getText(answer.body.token) : (this.getCaller('admin').token ?? '');
        return this.#withToken(name, made) ?? this.getCaller('admin');
      });
    }
    await this.#add('agent', async () => {
      const person = parseClaims(await this.#service.issueToken());
      const browser = await this.#oauth.openBrowser(person?.sub);
      const { access, refresh } = await this.#oauth.redeemTokens(await this.#oauth.runDance(browser));
      this.hideLater(refresh);
      this.hideLater(browser.cookie);
      const organizationId = this.#service.service.founder.organizationId;
      const headers = { authorization: `Bearer ${access}` };
      return { ...NOBODY, name: 'agent', organizationId, headers, token: null, isLive: true };
    });
  }

  async #add(name: string, make: () => Promise<Caller>): Promise<void> {
    this.#makers.set(name, make);
    this.#byName.set(name, await make());
  }

  #addHopeless(): void {
    const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      nobody: {},
      'garbage token': { authorization: 'Bearer asy_test_nonsense' },
      'no scheme': { authorization: 'nonsense' },
      'another scheme': { authorization: 'Basic dXNlcjpwYXNz' },
      'a token of a live environment': { authorization: 'Bearer asy_live_eyJhIjoxfQ.e30.x' },
      'a JWT without a signature': { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.' },
      'a long token': { authorization: `Bearer asy_test_${'a'.repeat(7_000)}` },
    };
    for (const [name, headers] of Object.entries(credentials))
      this.#byName.set(name, { ...NOBODY, name, headers });
  }

  async #addEnded(): Promise<void> {
    const { service, clock, ask, issueToken } = this.#service;
    const revoked = await issueToken();
    expectStatus(await ask('POST', '/tokens/revoke', { token: revoked, body: {} }), 200);
    const root = await issueToken();
    const soon = new Date(clock.now().getTime() + MINUTE_MS).toISOString();
    const body = { token: root, name: 'short', attenuation: { expires_at: soon } };
    const short = expectStatus(await ask('POST', '/tokens/attenuate', { token: root, body }), 201);
    clock.advance(10 * MINUTE_MS);
    const tampered = `${root.slice(0, -12)}${root.at(-12) === 'A' ? 'B' : 'A'}${root.slice(-11)}`;
    const ended = { revoked, expired: getText(short.body.token), tampered };
    for (const [name, token] of Object.entries(ended)) {
      const headers = { authorization: `Bearer ${token}` };
      this.#byName.set(name, { ...NOBODY, name, headers, token });
    }
    const { founder } = service;
    this.#staffUsers.add(founder.userId);
  }
}

/** What a token says of itself, read without any check. */
export function parseClaims(token: string): Claims | undefined {
  if (!TOKEN.test(token)) return undefined;
  try {
    const [, payload = ''] = token.split('.');
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (typeof claims !== 'object' || claims === null || !('org' in claims) || !('sub' in claims))
      return undefined;
    return { org: String(claims.org), sub: String(claims.sub) };
  } catch {
    return undefined;
  }
}
