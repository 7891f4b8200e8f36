import type { Page } from 'playwright-core'

/** What a person with another way of reading would stumble over, in words; empty when there is nothing. */
export async function stumblingBlocks(page: Page): Promise<readonly string[]> {
  const { blocks, texts } = await page.evaluate(lookAtPage)
  return [...blocks, ...texts.flatMap(faintness)]
}

/** A piece of text as it is painted; colours as the browser computes them, the ground from the top layer down. */
interface PaintedText {
  readonly text: string
  readonly ink: string
  readonly grounds: readonly string[]
  readonly isLarge: boolean
}

interface PageLook {
  readonly blocks: readonly string[]
  readonly texts: readonly PaintedText[]
}

/** Runs inside the page, so it can use nothing from outside itself. */
function lookAtPage(): PageLook {
  const every = (selector: string): PageElement[] => Array.from(document.querySelectorAll(selector))
  const blocks: string[] = []
  const complain = (isFine: boolean, complaint: string): void => {
    if (!isFine) blocks.push(complaint)
  }
  complain(document.documentElement.lang !== '', 'the page says no language')
  complain(document.title.trim() !== '', 'the page has no title')
  complain(every('main').length === 1, 'the page has not exactly one main part')
  const levels = every('h1, h2, h3, h4, h5, h6').map(({ tagName }) => Number(tagName.slice(1)))
  complain(levels.filter((level) => level === 1).length === 1, 'the page has not exactly one first heading')
  complain(
    levels.every((level, at) => level <= (levels[at - 1] ?? 0) + 1),
    `the headings leave out a level: ${levels.join(' ')}`,
  )
  for (const field of every('input:not([type=hidden]), select, textarea')) {
    complain((field.labels?.length ?? 0) > 0, `the field ${field.name} has no label`)
  }
  for (const control of every('button, a, summary')) {
    complain(control.innerText.trim() !== '', `a ${control.tagName} says nothing`)
    const { height } = control.getBoundingClientRect()
    complain(height >= 24, `"${control.innerText}" is only ${height} pixels high`)
  }
  const identifiers = every('[id]').map(({ id }) => id)
  complain(new Set(identifiers).size === identifiers.length, 'two elements have the same id')
  complain(document.documentElement.scrollWidth <= window.innerWidth, 'the page is wider than its window')
  const texts = every('main *').flatMap((element) => {
    const text = Array.from(element.childNodes)
      .map(({ nodeType, textContent }) => (nodeType === 3 ? (textContent ?? '') : ''))
      .join('')
      .trim()
    if (text === '' || element.getClientRects().length === 0) return []
    const { color, fontSize, fontWeight } = getComputedStyle(element)
    const grounds: string[] = []
    for (let at: PageElement | null = element; at !== null; at = at.parentElement) {
      grounds.push(getComputedStyle(at).backgroundColor)
    }
    const pixels = Number.parseFloat(fontSize)
    const isLarge = pixels >= 24 || (pixels >= 18.66 && Number(fontWeight) >= 700)
    return [{ text, ink: color, grounds, isLarge }]
  })
  return { blocks, texts }
}

/** WCAG 2.2, success criterion 1.4.3. */
function faintness({ text, ink, grounds, isLarge }: PaintedText): readonly string[] {
  const ground = grounds.map(readColour).find(({ alpha }) => alpha === 1)
  if (ground === undefined) return [`"${text}" stands on no ground`]
  const least = isLarge ? 3 : 4.5
  const ratio = contrast(readColour(ink), ground)
  return ratio >= least ? [] : [`"${text}" has a contrast of ${ratio.toFixed(2)}, and needs ${least}`]
}

interface Colour {
  readonly channels: readonly number[]
  readonly alpha: number
}

function readColour(text: string): Colour {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number)
  return { channels: [red, green, blue], alpha }
}

function contrast(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance({ channels }: Colour): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** What of the browser's world the check uses; the rest of the project has no such world. */
interface PageElement {
  readonly id: string
  readonly name: string
  readonly tagName: string
  readonly innerText: string
  readonly labels?: ArrayLike<unknown>
  readonly parentElement: PageElement | null
  readonly childNodes: ArrayLike<{ readonly nodeType: number; readonly textContent: string | null }>
  readonly getBoundingClientRect: () => { readonly height: number }
  readonly getClientRects: () => ArrayLike<unknown>
}
declare const document: {
  readonly title: string
  readonly documentElement: PageElement & { readonly lang: string; readonly scrollWidth: number }
  readonly querySelectorAll: (selector: string) => ArrayLike<PageElement>
}
declare const window: { readonly innerWidth: number }
declare function getComputedStyle(element: PageElement): {
  readonly color: string
  readonly backgroundColor: string
  readonly fontSize: string
  readonly fontWeight: string
}
