export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
}

/** Plain text unless the terminal shows colour. */
export function createStyle({ hasColor }: { readonly hasColor: boolean }): Style {
  const wrap = (start: number, end: number) => (text: string) =>
    hasColor ? `\u001b[${start}m${text}\u001b[${end}m` : text
  return { bold: wrap(1, 22), dim: wrap(2, 22) }
}
