/** Several lines from elsewhere. A terminal gets no character that would move the cursor or colour it; a pipe gets all. */
export function shownText(text: string, isTerminal: boolean): string {
  if (!isTerminal) return text
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{C}\n\t\u200d]/gu, '\u{fffd}')
}

export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, ' ').trim()
}

/** JSON that a terminal shows as it is: what would turn the text around or move the cursor is written as an escape. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\u007f-\u009f\p{Cf}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
