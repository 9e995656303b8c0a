/**
 * Published antibodies and the antigens they were raised against (`examples/antibodies.fasta`), so that the sandbox
 * does not call cetuximab a non-binder of EGFR. The measurement of such a pair is simulated: binding is strong, but
 * the number says nothing about the molecule.
 */
import { createHash } from 'node:crypto';
import { readAccessions } from '../seed/catalog.ts';

/** Maps the first 16 hex digits of the SHA-256 of the canonical sequence to the UniProt accession of the antigen. */
const antigenOf: Readonly<Record<string, string>> = {
  '4631499f530acf02': 'P04626', // Trastuzumab_Fv
  f6d81c92265e82f9: 'P04626', // Pertuzumab_Fv
  '52cae806a1f61cf3': 'P00533', // Cetuximab_Fv
  '6eabd4e815f63f66': 'P00533', // Panitumumab_Fv
  '21d0b38dd4892ec9': 'P00533', // Necitumumab_Fv
  '86fe82f9cdef84e6': 'P00533', // Matuzumab_Fv
  '4aee8e23ddda4858': 'P15692', // Bevacizumab_Fv
  '7cb659ed80a24353': 'P15692', // Ranibizumab_Fv
  '0f9b5243f6dacd12': 'P01375', // Adalimumab_Fv
  '7396c43b20ae1f6f': 'P01375', // Infliximab_Fv
  f0451afa092ea688: 'P01375', // Golimumab_Fv
  '169f2ec71c18c290': 'P01375', // Certolizumab_Fv
  '7feead3ebeefcdc5': 'Q15116', // Nivolumab_Fv
  '21221a93dff2aa3a': 'Q15116', // Pembrolizumab_Fv
  '7834c30cb3a346b0': 'Q9NZQ7', // Atezolizumab_Fv
  '9395a55ba7301288': 'Q9NZQ7', // Durvalumab_Fv
  '40d5e29ccb4dd8b8': 'P16410', // Ipilimumab_Fv
  e75b10c2798e87ae: 'P16410', // Tremelimumab_Fv
  '2607bede33cba43d': 'P11836', // Rituximab_Fv
  '1a1c7adbe000de5f': 'P11836', // Ofatumumab_Fv
  b13f503f080a70d2: 'P11836', // Obinutuzumab_Fv
  c88c3457e7ad1fe1: 'P28907', // Daratumumab_Fv
  c04f4dcfda3ce70e: 'P05231', // Siltuximab_Fv
  '4a05b705e020f759': 'Q16552', // Secukinumab_Fv
  cd3fdd9ee966db0d: 'Q16552', // Ixekizumab_Fv
  fe1c6cf79899d9de: 'Q8NBP7', // Evolocumab_Fv
  '48ec078de54c9d4f': 'Q8NBP7', // Alirocumab_Fv
  f813461ea1460fa8: 'P01584', // Canakinumab_Fv
  '1fbf97ec099c025d': 'P05113', // Mepolizumab_Fv
  '190fd3f7217f8146': 'P01589', // Daclizumab_Fv
  '91c5ab52c65b2933': 'P01589', // Basiliximab_Fv
  de07f8269ab232c5: 'P01137', // Fresolimumab_Fv
  c1d86c872e22b139: 'P00533', // 7D12_VHH
  e9445f08d46b7b89: 'P00533', // EgA1_VHH
  '5e7683080ea21665': 'P0DTC2', // VHH72
  '0eae39a5c14565db': 'P0DTC2', // Ty1_VHH
  e4c71b0d7e15e50c: 'P0DTC2', // mNb6_VHH
  f17019d0e3d73a7a: 'P42212', // GFP_nanobody_VHH
  '33bf8058923f6e55': 'P00698', // cAb-Lys3_VHH
  '2d7ea66a7a2f7c8c': 'P01375', // Ozoralizumab_VHH
  dd3ff0fdb4d30ddb: 'Q9NZQ7', // Envafolimab_VHH
};

const accessionOf = readAccessions();

/** Whether the sequence is a published antibody against this target of the seeded catalog. */
export function isPublishedPair(canonicalSequence: string, targetId: string): boolean {
  const accession = accessionOf.get(targetId);
  if (accession === undefined) return false;
  const digest = createHash('sha256').update(canonicalSequence).digest('hex').slice(0, 16);
  return antigenOf[digest] === accession;
}
