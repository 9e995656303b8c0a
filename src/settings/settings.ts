/**
 * Every setting of the service: an environment variable with a check, a default and a one-sentence description.
 * This folder: what is configured: each setting with its check, its default and one sentence. Not here: what is done
 * with it (`composition/`).
 */
import { isNetwork } from '#adapters/networks.ts';
import {
  defaultLimits,
  type Environment,
  type Letterhead,
  type Limits,
  type ResultSummaryMode,
  resultSummaryModes,
} from '#core/context.ts';
import type { RedirectPolicy } from '#core/redirect-policy.ts';
import { type Branding, CANONICAL_PREFIX } from '#transports/branding.ts';
import type { RequestPolicies } from '#transports/rest/rate-limit.ts';
import type { BodyBudgetPolicy } from '#transports/bodies/budget.ts';
import { letterheadSettingList, readLetterhead } from './letterhead-settings.ts';
import { oauthSettingList, readRedirectPolicy } from './oauth-settings.ts';
import {
  parseChoice,
  parseList,
  type ReadText,
  type ReadWhole,
  SettingsError,
  type Setting,
} from './setting.ts';
import { readStripeSettings, stripeSettingList, type StripeKeys } from './stripe-settings.ts';
import { readWebhookSettings, webhookSettingList, type WebhookSettings } from './webhook-settings.ts';
import { readSandboxChain, readX402Settings, x402SettingList, type X402Settings } from './x402-settings.ts';

/** How results are written for clients, and when they are packed. */
const RESULT_SUMMARY = {
  name: 'RESULT_SUMMARY',
  fallback: '',
  meaning:
    'rows in summary of a result: all, or published (only the shapes published first, for clients that reject others; rows has every row); empty: published with PROVIDER_FIELD_ALIAS, otherwise all',
} as const;

const DATA_PACKAGES = {
  name: 'DATA_PACKAGES',
  fallback: '',
  meaning:
    'when the data package of results is made: at_release, or when_asked; empty: when_asked in a sandbox, otherwise at_release',
} as const;

/** Answers whether packages are made at release. A simulated lab releases much that nobody downloads. */
function parseDataPackages(value: string, environment: Environment): boolean {
  if (value === '') return environment === 'live';
  if (value === 'at_release' || value === 'when_asked') return value === 'at_release';
  throw new SettingsError(`DATA_PACKAGES must be one of at_release, when_asked; it is "${value}".`);
}

function parseResultSummary(value: string, providerAlias: string | null): ResultSummaryMode {
  if (value === '') return providerAlias === null ? 'all' : 'published';
  const mode = resultSummaryModes.find((each) => each === value);
  if (mode === undefined)
    throw new SettingsError(`RESULT_SUMMARY must be one of all, published; it is "${value}".`);
  return mode;
}

/** Settings that limit the bytes of request bodies in the process. */
const MEBIBYTE = 1024 * 1024;
const BYTES_MAX = 64 * 1024 * MEBIBYTE;

/** Defaults as a number of the largest bodies, at least `leastBytes`. */
const shares = {
  MAX_BODIES_BYTES: { bodies: 4, leastBytes: 64 * MEBIBYTE },
  MAX_BODIES_BYTES_PER_ADDRESS: { bodies: 3, leastBytes: 48 * MEBIBYTE },
  MAX_BODIES_BYTES_PER_TOKEN: { bodies: 2, leastBytes: 32 * MEBIBYTE },
} as const;

const bodyBudgetSettingList: readonly Setting[] = [
  {
    name: 'MAX_BODIES_BYTES',
    fallback: '',
    meaning: 'most bytes of request bodies in the process; empty: four of the largest, at least 64 MiB',
  },
  {
    name: 'MAX_BODIES_BYTES_PER_ADDRESS',
    fallback: '',
    meaning: 'of these, from one client address; empty: three of the largest, at least 48 MiB',
  },
  {
    name: 'MAX_BODIES_BYTES_PER_TOKEN',
    fallback: '',
    meaning: 'of these, from one token and those derived from it; empty: two of the largest, at least 32 MiB',
  },
];

function readBodyBudget(readText: ReadText, readWhole: ReadWhole): BodyBudgetPolicy {
  const bodyBytes = Number(readText('MAX_BODY_BYTES'));
  const readShare = (name: keyof typeof shares): number => {
    const { bodies, leastBytes } = shares[name];
    if (readText(name) === '') return Math.max(bodies * bodyBytes, leastBytes);
    const bytes = readWhole(name, 1, BYTES_MAX);
    // With less, the largest body could never be accepted.
    if (bytes < bodyBytes)
      throw new SettingsError(
        `${name} must be at least MAX_BODY_BYTES, which is ${bodyBytes}; it is ${bytes}.`,
      );
    return bytes;
  };
  return {
    processBytes: readShare('MAX_BODIES_BYTES'),
    addressBytes: readShare('MAX_BODIES_BYTES_PER_ADDRESS'),
    tokenBytes: readShare('MAX_BODIES_BYTES_PER_TOKEN'),
  };
}

export interface Settings {
  readonly environment: Environment;
  readonly host: string;
  readonly port: number;
  /** Null: derived from host and port once the service listens. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly databasePoolSize: number;
  readonly listTimeoutMs: number;
  readonly branding: Branding;
  readonly resultSummary: ResultSummaryMode;
  readonly makesPackagesAtRelease: boolean;
  readonly sandboxSpeed: number;
  readonly needsSecondPerson: boolean;
  readonly logLevel: string;
  readonly ratePolicies: RequestPolicies;
  readonly signInAttemptsPerMinute: number;
  /** Null: no mail server is set. */
  readonly smtp: { readonly url: string; readonly from: string } | null;
  readonly signUp: 'open' | 'invited';
  /** Null: people cannot sign in through a provider. */
  readonly provider: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly name: string;
  } | null;
  readonly redirectPolicy: RedirectPolicy;
  readonly limits: Limits;
  readonly bodyBudget: BodyBudgetPolicy;
  readonly connectionsPerAddress: number;
  readonly analysisWorkers: number;
  /** Empty: a client's address is that of its connection. */
  readonly trustedProxies: readonly string[];
  /** Null: the built-in processor is used. */
  readonly stripe: StripeKeys | null;
  /** Source of the documents of quotes and invoices, where the processor makes some. */
  readonly documents: 'processor' | 'ours';
  readonly letterhead: Letterhead;
  /** Null: the rail x402-exact is not served. */
  readonly x402: X402Settings | null;
  readonly webhooks: WebhookSettings;
  /** A local chain with a facilitator and wallets, for x402 in a sandbox. */
  readonly sandboxChain: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

export const settingList: readonly Setting[] = [
  { name: 'ENVIRONMENT', fallback: 'sandbox', meaning: 'sandbox (simulated lab, test payments) or live' },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'address to listen on' },
  { name: 'PORT', fallback: '8080', meaning: 'port to listen on; 0 picks a free one' },
  { name: 'BASE_URL', fallback: '', meaning: 'public address, when it differs from host and port' },
  { name: 'DATA_DIR', fallback: '.assayer', meaning: 'directory of the embedded database and the raw files' },
  {
    name: 'DATABASE_URL',
    isSecret: true,
    fallback: '',
    meaning: 'a PostgreSQL 15 or newer to use instead of the embedded one',
  },
  { name: 'DATABASE_POOL_SIZE', fallback: '10', meaning: 'database connections of this process, 2 to 200' },
  {
    name: 'LIST_TIMEOUT_MS',
    fallback: '5000',
    meaning: 'time limit of a read, such as one page of a list; beyond it 422 query_too_expensive',
  },
  { name: 'BRAND_HEADER_PREFIX', fallback: CANONICAL_PREFIX, meaning: 'prefix of the contract headers' },
  { name: 'PROVIDER_FIELD_ALIAS', fallback: '', meaning: 'adds <alias>_x beside every provider_x field' },
  RESULT_SUMMARY,
  DATA_PACKAGES,
  {
    name: 'SANDBOX_SPEED',
    fallback: '86400',
    meaning: 'seconds of the simulated lab per second; 86400 is a day',
  },
  {
    name: 'RELEASE_NEEDS_SECOND_PERSON',
    fallback: 'no',
    meaning: 'yes: what one person decided last in a review is released by another',
  },
  { name: 'LOG_LEVEL', fallback: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent' },
  {
    name: 'RATE_LIMIT_PER_SECOND',
    fallback: '200',
    meaning:
      'sustained requests per second of a token together with those made from it; 0 turns both limits off',
  },
  { name: 'RATE_LIMIT_BURST', fallback: '1000', meaning: 'requests that these may send in a burst' },
  {
    name: 'RATE_LIMIT_ORGANIZATION_FACTOR',
    fallback: '5',
    meaning: 'limit of a whole organization, as a multiple of that of a token; 0 turns it off',
  },
  {
    name: 'SIGN_IN_ATTEMPTS_PER_MINUTE',
    fallback: '20',
    meaning: 'passwords and passkeys that one client address may try per minute',
  },
  ...oauthSettingList,
  {
    name: 'SIGN_UP',
    fallback: '',
    meaning:
      'open (anybody may create an organization) or invited; empty: open in a sandbox, invited in live',
  },
  {
    name: 'SMTP_URL',
    isSecret: true,
    fallback: '',
    meaning:
      'mail server, such as smtps://user:password@mail.example:465; empty in a sandbox: the page /mailbox',
  },
  {
    name: 'OIDC_ISSUER',
    fallback: '',
    meaning: 'issuer address of the OpenID Connect provider for signing in, as in its discovery document',
  },
  { name: 'OIDC_CLIENT_ID', fallback: '', meaning: 'client id of this service at the provider' },
  {
    name: 'OIDC_CLIENT_SECRET',
    fallback: '',
    isSecret: true,
    meaning: 'client secret of this service at the provider',
  },
  {
    name: 'OIDC_NAME',
    fallback: 'your organization',
    meaning: 'name of the provider on the button: Continue with …',
  },
  { name: 'MAIL_FROM', fallback: '', meaning: 'sender of mails, such as Assayer <lab@example.org>' },
  { name: 'MAX_BODY_BYTES', fallback: String(defaultLimits.bodyBytes), meaning: 'largest request body' },
  ...bodyBudgetSettingList,
  {
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    fallback: '2500',
    meaning: 'most connections, of 5000, from one address outside TRUSTED_PROXIES',
  },
  {
    name: 'MAX_SEQUENCES_PER_EXPERIMENT',
    fallback: String(defaultLimits.sequencesPerExperiment),
    meaning: 'largest experiment',
  },
  {
    name: 'MAX_RESIDUES_PER_SEQUENCE',
    fallback: String(defaultLimits.residuesPerSequence),
    meaning: 'most residues of a sequence, over all its chains',
  },
  { name: 'ANALYSIS_WORKERS', fallback: '1', meaning: 'threads that analyze raw data, 1 to 64' },
  {
    name: 'TRUSTED_PROXIES',
    fallback: '',
    meaning: 'addresses or networks of reverse proxies whose X-Forwarded-For is trusted, separated by commas',
  },
  ...webhookSettingList,
  ...stripeSettingList,
  ...letterheadSettingList,
  ...x402SettingList,
];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export function readSettings(variables: Variables): Settings {
  const readText = (name: string): string => {
    const variable = variables[name];
    return variable === undefined || variable === '' ? getFallback(name) : variable;
  };
  const readWhole = (name: string, low: number, high: number): number => {
    const value = readText(name);
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= low && number <= high)) {
      throw new SettingsError(`${name} must be a whole number from ${low} to ${high}; it is "${value}".`);
    }
    return number;
  };
  const branding = parseBranding(readText('BRAND_HEADER_PREFIX'), readText('PROVIDER_FIELD_ALIAS'));
  return {
    environment: parseEnvironment(readText('ENVIRONMENT')),
    host: readText('HOST'),
    port: readWhole('PORT', 0, 65_535),
    baseUrl: parseBaseUrl(readText('BASE_URL')),
    dataDir: readText('DATA_DIR'),
    databaseUrl: parseDatabaseUrl(readText('DATABASE_URL')),
    databasePoolSize: readWhole('DATABASE_POOL_SIZE', 2, 200),
    listTimeoutMs: readWhole('LIST_TIMEOUT_MS', 100, 600_000),
    branding,
    resultSummary: parseResultSummary(readText('RESULT_SUMMARY'), branding.providerAlias),
    makesPackagesAtRelease: parseDataPackages(
      readText('DATA_PACKAGES'),
      parseEnvironment(readText('ENVIRONMENT')),
    ),
    sandboxSpeed: readWhole('SANDBOX_SPEED', 1, 1_000_000_000),
    needsSecondPerson:
      parseChoice('RELEASE_NEEDS_SECOND_PERSON', readText('RELEASE_NEEDS_SECOND_PERSON'), ['yes', 'no']) ===
      'yes',
    logLevel: parseChoice('LOG_LEVEL', readText('LOG_LEVEL'), LOG_LEVELS),
    ratePolicies: parseRatePolicies(readWhole),
    signInAttemptsPerMinute: readWhole('SIGN_IN_ATTEMPTS_PER_MINUTE', 1, 100_000),
    smtp: parseSmtp(readText('SMTP_URL'), readText('MAIL_FROM')),
    provider: parseProvider(readText),
    signUp: parseSignUp(readText('SIGN_UP'), parseEnvironment(readText('ENVIRONMENT'))),
    redirectPolicy: readRedirectPolicy(readText),
    limits: {
      bodyBytes: readWhole('MAX_BODY_BYTES', 1_024, 256 * 1024 * 1024),
      sequencesPerExperiment: readWhole('MAX_SEQUENCES_PER_EXPERIMENT', 1, 100_000),
      residuesPerSequence: readWhole('MAX_RESIDUES_PER_SEQUENCE', 1, 100_000),
    },
    bodyBudget: readBodyBudget(readText, readWhole),
    connectionsPerAddress: readWhole('MAX_CONNECTIONS_PER_ADDRESS', 10, 5_000),
    analysisWorkers: readWhole('ANALYSIS_WORKERS', 1, 64),
    trustedProxies: parseProxies(parseList(readText('TRUSTED_PROXIES'))),
    stripe: readStripeSettings(readText, readWhole),
    documents: parseDocuments(readText('STRIPE_DOCUMENTS')),
    letterhead: readLetterhead(readText),
    x402: readX402Settings(readText, readWhole),
    webhooks: readWebhookSettings(readText, {
      hasAlias: branding.providerAlias !== null,
      environment: parseEnvironment(readText('ENVIRONMENT')),
      host: readText('HOST'),
      isBehindProxy: readText('BASE_URL') !== '' || readText('TRUSTED_PROXIES') !== '',
    }),
    sandboxChain: readSandboxChain(readText),
  };
}

function parseRatePolicies(readWhole: ReadWhole): RequestPolicies {
  const perSecond = readWhole('RATE_LIMIT_PER_SECOND', 0, 1_000_000);
  const burst = readWhole('RATE_LIMIT_BURST', 1, 1_000_000);
  const factor = readWhole('RATE_LIMIT_ORGANIZATION_FACTOR', 0, 1_000_000);
  return {
    family: { perSecond, burst },
    organization: { perSecond: perSecond * factor, burst: burst * factor },
  };
}

function getFallback(name: string): string {
  const setting = settingList.find((candidate) => candidate.name === name);
  if (setting === undefined) throw new Error(`${name} is not a declared setting`);
  return setting.fallback;
}

function parseProxies(networks: readonly string[]): readonly string[] {
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined)
    throw new SettingsError(
      `TRUSTED_PROXIES must list addresses such as 10.0.0.5 or networks such as 10.0.0.0/8; "${wrong}" is neither.`,
    );
  return networks;
}

function parseEnvironment(value: string): Environment {
  return parseChoice('ENVIRONMENT', value, ['sandbox', 'live']) === 'live' ? 'live' : 'sandbox';
}

function parseDocuments(value: string): Settings['documents'] {
  return parseChoice('STRIPE_DOCUMENTS', value, ['stripe', 'ours']) === 'ours' ? 'ours' : 'processor';
}

function parseBaseUrl(value: string): string | null {
  if (value === '') return null;
  const isHttp = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  if (!isHttp) throw new SettingsError(`BASE_URL must be an http or https address; it is "${value}".`);
  return value.replace(/\/+$/, '');
}

function parseSignUp(value: string, environment: Environment): 'open' | 'invited' {
  if (value === '') return environment === 'sandbox' ? 'open' : 'invited';
  return parseChoice('SIGN_UP', value, ['open', 'invited']) === 'open' ? 'open' : 'invited';
}

function parseProvider(readText: ReadText): Settings['provider'] {
  const issuer = readText('OIDC_ISSUER');
  if (issuer === '') return null;
  const isHttp = URL.canParse(issuer) && /^https?:$/.test(new URL(issuer).protocol);
  if (!isHttp) throw new SettingsError(`OIDC_ISSUER must be an http or https address; it is "${issuer}".`);
  const [clientId, clientSecret] = [readText('OIDC_CLIENT_ID'), readText('OIDC_CLIENT_SECRET')];
  if (clientId === '' || clientSecret === '')
    throw new SettingsError('OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET beside it.');
  return { issuer, clientId, clientSecret, name: readText('OIDC_NAME') };
}

function parseSmtp(url: string, from: string): Settings['smtp'] {
  if (url === '') return null;
  const isSmtp = URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol) && new URL(url).hostname !== '';
  // The address may hold a password, so it is not repeated.
  if (!isSmtp) throw new SettingsError('SMTP_URL must be an smtp:// or smtps:// address.');
  if (!/^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(from)) {
    throw new SettingsError(`MAIL_FROM must be a sender such as Assayer <lab@example.org>; it is "${from}".`);
  }
  return { url, from };
}

function parseDatabaseUrl(value: string): string | null {
  if (value === '') return null;
  const isPostgres = URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol);
  // The address may hold a password, so it is not repeated.
  if (!isPostgres)
    throw new SettingsError(
      'DATABASE_URL must be an address such as postgres://user:password@host:5432/database.',
    );
  return value;
}

function parseBranding(headerPrefix: string, alias: string): Branding {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,40}$/.test(headerPrefix)) {
    throw new SettingsError(
      `BRAND_HEADER_PREFIX must be a header name such as X-Acme; it is "${headerPrefix}".`,
    );
  }
  if (alias !== '' && !/^[a-z][a-z0-9_]{0,30}$/.test(alias)) {
    throw new SettingsError(`PROVIDER_FIELD_ALIAS must be lower case such as acme; it is "${alias}".`);
  }
  return { headerPrefix, providerAlias: alias === '' ? null : alias };
}
