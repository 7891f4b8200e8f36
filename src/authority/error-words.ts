/** The messages of an error and of what caused it, and nothing else: such errors carry claims, codes and answers. */
export function errorWords(problem: unknown): string {
  const words: string[] = []
  for (let error = problem; error instanceof Error && words.length < deepest; error = error.cause)
    words.push(error.message)
  return words.join(': ')
}

const deepest = 4
