/** The fake as a process of its own, to be killed like any other: `main.ts <port> <control port> <file>`. */
import { createServer } from 'node:http';
import { startFakeStripe } from './server.ts';

const [port = '0', controlPort = '0', path = ''] = process.argv.slice(2);
const fake = await startFakeStripe({ port: Number(port), path });

function findInvoice(ourId: string) {
  return Object.values(fake.state.books.invoices).find(({ metadata }) => metadata.invoice_id === ourId);
}

/** What a payer does at Stripe, and what only a test may ask. */
function answerTo(pathname: string, ourId: string): unknown {
  const invoice = findInvoice(ourId);
  switch (pathname) {
    case '/mint':
      return { token: fake.mint({ maxAmount: 99_999 }) };
    case '/pay':
      return { paid: invoice !== undefined && (fake.pay(invoice.id) || invoice.status === 'paid') };
    case '/pay-all':
      return { paid: Object.keys(fake.state.books.invoices).filter((id) => fake.pay(id)).length };
    case '/notice': {
      const event = fake.state.books.events.findLast(
        ({ type, object }) => type === 'invoice.paid' && JSON.stringify(object).includes(ourId),
      );
      return event === undefined ? {} : fake.signEvent(event);
    }
    default:
      return { ...fake.state.books, collected: fake.state.sumCollectedCents() };
  }
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', fake.url);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answerTo(url.pathname, url.searchParams.get('invoice') ?? '')));
}).listen(Number(controlPort), '127.0.0.1', () => console.log('ready'));
