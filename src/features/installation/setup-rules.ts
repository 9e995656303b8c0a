/** How far an installation is set up, by its settings alone. */
import type { Site } from '#core/context.ts';

export const setupMatters = ['mail', 'payment', 'seller', 'backup'] as const;
export const setupStates = ['set', 'missing', 'check'] as const;

export interface SetupItem {
  readonly matter: (typeof setupMatters)[number];
  readonly state: (typeof setupStates)[number];
  /** What to set; empty where nothing is missing. */
  readonly settings: string[];
  readonly sentence: string;
}

type Installation = Pick<
  Site,
  'environment' | 'mail' | 'processor' | 'mirrorsQuotes' | 'letterhead' | 'hasOwnDatabase'
>;

export function describeSetup(site: Installation): SetupItem[] {
  return [describeMail(site), describePayment(site), describeSeller(site), describeBackup(site)];
}

function describeMail({ mail }: Installation): SetupItem {
  if (mail === 'smtp')
    return buildSet('mail', 'Invitations, links to sign in and notifications go out by mail.');
  if (mail === 'mailbox') return buildSet('mail', 'The sandbox keeps its mails on the page /mailbox.');
  return {
    matter: 'mail',
    state: 'missing',
    settings: ['SMTP_URL', 'MAIL_FROM'],
    sentence:
      'No mail is sent: invitations are handed over as copied links, and nobody is notified. Set SMTP_URL and MAIL_FROM.',
  };
}

function describePayment({ environment, mirrorsQuotes, letterhead }: Installation): SetupItem {
  if (mirrorsQuotes) return buildSet('payment', 'Stripe collects the invoices.');
  if (environment === 'sandbox') return buildSet('payment', 'The sandbox takes test payments.');
  if (letterhead.seller.bank_lines.length > 0)
    return buildSet('payment', 'Invoices name the account for bank transfers; staff record each transfer.');
  return {
    matter: 'payment',
    state: 'missing',
    settings: ['BANK_DETAILS', 'STRIPE_SECRET_KEY'],
    sentence:
      'Clients cannot accept a quote, because its invoice could not be paid. Set BANK_DETAILS for bank transfers, or STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.',
  };
}

function describeSeller({ environment, letterhead: { seller } }: Installation): SetupItem {
  const settings = [
    ...(seller.name === null ? ['LAB_NAME'] : []),
    ...(seller.address_lines.length === 0 ? ['LAB_ADDRESS'] : []),
  ];
  const isSandbox = environment === 'sandbox';
  if (settings.length > 0 && !isSandbox)
    return {
      matter: 'seller',
      state: 'missing',
      settings: [...settings, ...(seller.tax_id === null ? ['LAB_TAX_ID'] : [])],
      sentence: `Quotes and invoices do not say who sells. Set ${settings.join(' and ')}${seller.tax_id === null ? ', and LAB_TAX_ID if the lab has a tax id' : ''}.`,
    };
  if (settings.length > 0)
    return buildSet('seller', 'Quotes and invoices show hints in place of the lab, which a sandbox may.');
  return buildSet(
    'seller',
    seller.tax_id === null
      ? 'Quotes and invoices show name and address of the lab, and no tax id; set LAB_TAX_ID if the lab has one.'
      : 'Quotes and invoices show name, address and tax id of the lab.',
  );
}

/** The service makes no backups and records none, so it can only say what has to be in one. */
function describeBackup({ environment, hasOwnDatabase }: Installation): SetupItem {
  if (environment === 'sandbox') return buildSet('backup', 'A sandbox needs no backup.');
  return {
    matter: 'backup',
    state: 'check',
    settings: [],
    sentence: hasOwnDatabase
      ? 'The service makes no backups and records none. Back up DATA_DIR while the service is stopped; it holds the database and the raw files.'
      : 'The service makes no backups and records none. Back up the database of DATABASE_URL, and after it DATA_DIR/blobs with the raw files.',
  };
}

function buildSet(matter: SetupItem['matter'], sentence: string): SetupItem {
  return { matter, state: 'set', settings: [], sentence };
}
