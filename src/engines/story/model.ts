import { readCheckpoint } from './checkpoint.ts'
import { createSampler, type Sampler } from './sampler.ts'
import { type TokenRoles, tokenRoles } from './token-roles.ts'
import { createTokenizer, type Tokenizer } from './tokenizer.ts'
import { createTransformer, type Transformer } from './transformer.ts'
import { readVocabulary, type Vocabulary } from './vocabulary.ts'
import { readStoryWeights } from './weights.ts'

export interface StoryModel {
  readonly transformer: Transformer
  readonly vocabulary: Vocabulary
  readonly tokenizer: Tokenizer
  readonly sampler: Sampler
  readonly roles: TokenRoles
}

export async function loadStoryModel(weights: string): Promise<StoryModel> {
  const { arena, checkpoint, vocabulary: pieces } = await readStoryWeights(weights)
  const parameters = readCheckpoint(checkpoint)
  const vocabulary = readVocabulary(pieces, parameters.shape.vocabulary)
  return {
    transformer: createTransformer(parameters, arena),
    vocabulary,
    tokenizer: createTokenizer(vocabulary),
    sampler: createSampler(vocabulary.size),
    roles: tokenRoles(vocabulary),
  }
}
