using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Millrace.Cli.Tests;

/// <summary>The programs that readers copy from the first pages compile as they stand, in a new project with its implicit usings.</summary>
[Trait("Tier", "All")]
public sealed partial class DocumentedProgramTests : FolderTests
{
    private const string ConsoleUsings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private const string WebUsings = """

        global using System.Net.Http.Json;
        global using Microsoft.AspNetCore.Builder;
        global using Microsoft.AspNetCore.Hosting;
        global using Microsoft.AspNetCore.Http;
        global using Microsoft.AspNetCore.Routing;
        global using Microsoft.Extensions.Configuration;
        global using Microsoft.Extensions.DependencyInjection;
        global using Microsoft.Extensions.Hosting;
        global using Microsoft.Extensions.Logging;
        """;

    public static TheoryData<string> Pages =>
    [
        .. from page in new[] { Path.Combine(Repository.Root, "README.md"), Path.Combine(Repository.Root, "docs", "serve.md"), Path.Combine(Repository.Root, "docs", "text.md") }
               .Concat(Directory.GetFiles(Path.Combine(Repository.Root, "docs", "getting-started"), "*.md"))
               .Concat(Directory.GetDirectories(Path.Combine(Repository.Root, "src")).Select(project => Path.Combine(project, "README.md")))
           where File.Exists(page) && Block().IsMatch(File.ReadAllText(page))
           select Path.GetRelativePath(Repository.Root, page),
    ];

    [NeedsTheory(Need.Wine, "has no .NET SDK"), MemberData(nameof(Pages))]
    public void First_program_of_a_page_and_every_other_with_usings_compiles_as_it_stands(string page)
    {
        string[] blocks = [.. Block().Matches(File.ReadAllText(Path.Combine(Repository.Root, page))).Select(match => match.Groups["code"].Value)];
        foreach (string program in blocks.Where((block, index) => index == 0 || block.StartsWith("using ", StringComparison.Ordinal)))
        {
            string errors = Compile(program);
            Assert.True(errors.Length == 0, $"{page}:\n{program}\n{errors}");
        }
    }

    private string Compile(string program)
    {
        string runtime = RuntimeEnvironment.GetRuntimeDirectory().TrimEnd(Path.DirectorySeparatorChar);
        string frameworks = Path.GetFullPath(Path.Combine(runtime, "..", ".."));
        string compiler = Directory.GetDirectories(Path.Combine(frameworks, "..", "sdk"))
            .Select(sdk => Path.Combine(sdk, "Roslyn", "bincore", "csc.dll")).Last(File.Exists);
        string web = Path.Combine(frameworks, "Microsoft.AspNetCore.App", Path.GetFileName(runtime));
        bool isWeb = program.Contains("WebApplication", StringComparison.Ordinal);
        string[] references =
        [
            .. Directory.GetFiles(runtime, "System*.dll"),
            .. Directory.GetFiles(runtime, "Microsoft*.dll"),
            .. isWeb ? Directory.GetFiles(web, "Microsoft*.dll") : [],
            .. Directory.GetFiles(AppContext.BaseDirectory, "Millrace*.dll"),
        ];
        string usings = Folder.Write("Usings.cs", ConsoleUsings + (isWeb ? WebUsings : ""));
        string arguments = Folder.Write("arguments.rsp", string.Join(
            '\n', references.Where(IsManaged).Select(reference => $"-reference:\"{reference}\"").Append("-nologo").Append($"-out:\"{Folder["program.dll"]}\"")));
        var start = new ProcessStartInfo("dotnet", ["exec", compiler, "-noconfig", "@" + arguments, usings, Folder.Write("Program.cs", program)])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0 ? "" : output;
    }

    // Native libraries of the runtime have names like those of assemblies on Windows.
    private static bool IsManaged(string file) => !Path.GetFileName(file).Contains("Native", StringComparison.Ordinal)
        && !Path.GetFileName(file).Contains("DiaSym", StringComparison.Ordinal);

    [GeneratedRegex(@"```csharp\n(?<code>.*?)```", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Block();
}
