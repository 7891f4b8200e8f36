import { type TEnum, type TInteger, type TObject, type TString, Type } from 'typebox'
import { section } from './schema-parts.ts'

export const auditSchema: TObject<{
  durability: TEnum<['grouped', 'strict']>
  spool: TString
  spoolLimitMegabytes: TInteger
  retentionDays: TInteger
  retentionMegabytes: TInteger
}> = section('The record of every decision.', {
  durability: Type.Enum(['grouped', 'strict'], {
    default: 'grouped',
    description:
      '`grouped` answers at once: a crash of the gateway loses nothing, a power failure at most a tenth of a second; `strict` answers only when the record is on disk.',
  }),
  spool: Type.String({
    minLength: 1,
    default: './data/spool',
    description:
      'The folder on a local disk where records wait for the store. Gateways on one machine may use the same; each takes over what a dead one left.',
  }),
  spoolLimitMegabytes: Type.Integer({
    minimum: 1,
    maximum: 1_048_576,
    default: 256,
    description:
      'How much may wait in the spool of one gateway. When it is full, `grouped` drops records, counts them and says so in the log; `strict` refuses calls with 503.',
  }),
  retentionDays: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 90,
    description: 'Records older than this are removed.',
  }),
  retentionMegabytes: Type.Integer({
    minimum: 1,
    maximum: 1_073_741_824,
    default: 10_240,
    description: 'When all records together are larger than this, the oldest are removed.',
  }),
})
