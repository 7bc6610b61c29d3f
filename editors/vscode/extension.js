// SPDX-License-Identifier: Apache-2.0
// Starts `parvis lsp` for .pv and Murphi files.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
    const command = workspace.getConfiguration("parvis").get("program") || "parvis";
    const documentSelector = ["parvis", "murphi"].map((language) => ({ scheme: "file", language }));
    client = new LanguageClient("parvis", "Parvis", { command, args: ["lsp"] }, { documentSelector });
    return client.start();
}

function deactivate() {
    return client && client.stop();
}

module.exports = { activate, deactivate };
