import { hash } from 'node:crypto'
import { type Html, html } from './html.ts'

/**
 * A button that is pressed twice counts once. The second form would end the first one's way in the browser, after the
 * server has finished the sign-in: the person would read that it has ended, and the app would hear nothing. After ten
 * seconds without an answer they may try again.
 */
export const onceScript: Html = html`let last = -Infinity
addEventListener('submit', (event) => {
  if (event.timeStamp - last < 10000) event.preventDefault()
  else last = event.timeStamp
})
addEventListener('pageshow', () => { last = -Infinity })`

/** For the content security policy: this script and no other. */
export const onceSource: string = `'sha256-${hash('sha256', onceScript.markup, 'base64')}'`
