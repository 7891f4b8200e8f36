/** Installs what `engine: llama` needs on Linux; other systems have a package of their own in place of the second one. */
export const llamaInstall: string =
  'npm i node-llama-cpp @node-llama-cpp/linux-x64 --omit=optional --ignore-scripts'
