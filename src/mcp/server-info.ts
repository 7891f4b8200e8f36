/** How the server names itself. */
export const serverInfo = { name: 'postern', version: '0.1.0' } as const
