import type { GoogleGenAIOptions } from '@google/genai'
import { OAuth2Client } from 'google-auth-library'

/** A program that has an access token from elsewhere. */
export function withToken(token: string): Pick<GoogleGenAIOptions, 'googleAuthOptions'> {
  const authClient = new OAuth2Client()
  authClient.setCredentials({ access_token: token })
  const googleAuthOptions = {}
  // The SDK was compiled with another version of the library, whose types differ in private parts.
  Reflect.set(googleAuthOptions, 'authClient', authClient)
  return { googleAuthOptions }
}
