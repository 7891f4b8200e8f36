/** Somebody with a real browser, who signs in as demo and allows what is asked, whenever a program opens a page. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openChromium, provideChromium } from '../test/chromium.ts'

export async function invitePerson({ folder, password }) {
  await provideChromium()
  const browser = await openChromium()
  const context = await browser.newContext()
  const wanted = join(folder, 'page')
  return {
    /** Does what the next page asks for; resolves with what could be read on each. */
    answerPage: async (seconds = 30) => {
      const page = await context.newPage()
      page.setDefaultTimeout(seconds * 1000)
      await page.goto(await nextPage(wanted, seconds))
      const read = []
      const look = async () => read.push((await page.locator('main').innerText()).replaceAll(/\s+/g, ' '))
      if (await page.getByLabel('Password').isVisible()) {
        await look()
        await page.getByLabel('Login').fill('demo')
        await page.getByLabel('Password').fill(password())
        await page.getByRole('button', { name: 'Sign in' }).click()
      }
      const allow = page.getByRole('button', { name: 'Allow', exact: true })
      await allow.waitFor()
      await look()
      await allow.click()
      await page.waitForURL('**/callback?*')
      await look()
      await page.close()
      return read
    },
    close: () => browser.close(),
  }
}

/** The program that `postern` starts to show a page; answers with what it is called. */
export function browserProgram(folder) {
  const program = join(folder, 'open')
  const page = join(folder, 'page')
  writeFileSync(program, `#!/bin/sh\nprintf %s "$1" > '${page}.new' && mv '${page}.new' '${page}'\n`)
  chmodSync(program, 0o755)
  return program
}

async function nextPage(file, seconds) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await setTimeout(50)) {
    if (!existsSync(file)) continue
    const page = readFileSync(file, 'utf8')
    rmSync(file)
    return page
  }
  throw new Error(`no program opened a page within ${seconds} s`)
}
