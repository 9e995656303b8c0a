/** Returns the chains of a protein, joined by ":", of FASTA or of bare letters; each record of FASTA is a chain. */
export function readChains(text: string): string {
  const chains = text.split(/^>.*$/m).map((chain) => chain.replaceAll(/\s/g, ''));
  return chains.filter((chain) => chain !== '').join(':');
}
