/** Names the sensor instrument. Expression is captured on the same sensors that measure binding. */
export function nameBindingInstrument(method: 'bli' | 'spr' | null): string {
  return method === 'spr' ? 'Simulated SPR' : 'Simulated BLI';
}
