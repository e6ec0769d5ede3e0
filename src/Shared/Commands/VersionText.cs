using System.CommandLine;
using System.CommandLine.Invocation;
using System.Reflection;

namespace Millrace.Cli;

/// <summary>Prints the version without the commit after its plus sign.</summary>
internal sealed class VersionText : SynchronousCommandLineAction
{
    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        string version = typeof(VersionText).Assembly
            .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion;
        parseResult.InvocationConfiguration.Output.WriteLine(version.Split('+')[0]);
        return 0;
    }
}
