export interface BrowserCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface Desktop {
  /** As `process.platform` names it. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The program that shows a page to the person; nothing where there is none, as on a server. Never run it in a shell. */
export function browserCommand(page: URL, { platform, env }: Desktop): BrowserCommand | undefined {
  if (page.protocol !== 'https:' && page.protocol !== 'http:') return undefined
  const { href } = page
  if (platform === 'darwin') return { command: 'open', args: [href] }
  // `start` would need a shell, in which the & of a query means something else.
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', href] }
  const [chosen = ''] = env.BROWSER?.split(':') ?? []
  if (chosen !== '') return { command: chosen, args: [href] }
  if (env.WSL_DISTRO_NAME !== undefined) return { command: 'wslview', args: [href] }
  const hasScreen = [env.DISPLAY, env.WAYLAND_DISPLAY].some((screen) => screen !== undefined && screen !== '')
  return hasScreen ? { command: 'xdg-open', args: [href] } : undefined
}
