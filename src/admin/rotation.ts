import { type TInteger, type TObject, type TOptional, Type } from 'typebox'

/** What a rotation takes; it may be left out as a whole. */
export const rotation: TObject<{ overlap_seconds: TOptional<TInteger> }> = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 90 * 86_400,
        default: 3600,
        description: 'How long what was there before goes on working; with 0 it is revoked',
      }),
    ),
  },
  { title: 'Rotation', additionalProperties: false },
)
