import { makeWellAssay } from '../simulated-wells.ts';
import { READER_ROOM, writeReaderFile } from './reader-run.ts';

export const fluorescence = makeWellAssay({
  price: { unit_price_cents: 8_900, replicate_price_cents: 1_700 },
  nameInstrument: () => 'Simulated plate reader',
  room: READER_ROOM,
  failure: 'empty_well',
  writeFile: writeReaderFile,
});
