const keyLength = 32
const differentCharacters = 8
const howToMakeOne = 'make one with: openssl rand -base64 32'

export function secretComplaint(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty'
  if (text.trim() !== text) return 'must not start or end with white space'
  return undefined
}

/** Length alone proves little: a repeated character is refused as well. */
export function signingKeyComplaint(text: string): string | undefined {
  const complaint = secretComplaint(text)
  if (complaint !== undefined) return complaint
  if (text.length < keyLength)
    return `must have at least ${keyLength} characters, not ${text.length}; ${howToMakeOne}`
  if (new Set(text).size < differentCharacters)
    return `must be random, and repeats few characters; ${howToMakeOne}`
  return undefined
}
