using System.CommandLine;
using System.CommandLine.Help;

namespace Millrace.Cli.Serve;

/// <summary>`millrace serve`.</summary>
internal static class ServeCommand
{
    private const string Details = """
        Without a token only this machine can reach it. For others: make a token with 'millrace token add', and name an
        address with --host ('*' for all). With --cert it speaks TLS, and HTTP/2 and gRPC on the same port.

        Examples:
          millrace serve
          millrace serve /srv/files --host '*' --cert cert.pem --key key.pem
          millrace serve inbox --port 0 --json --max-file 10GiB --leave-free 5GiB

        Exit codes:
          0    stopped by Ctrl-C or SIGTERM; every transfer that ran was finished
          1    could not start; the error output says why and what to do
          130  stopped, and transfers that still ran after --grace, or at the second Ctrl-C, were cut
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var folder = new Argument<string>("FOLDER")
        {
            Description = "The folder whose files are served and where uploads go.",
            DefaultValueFactory = _ => ".",
        };
        var set = new ServeOptionSet();
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("serve", "Serve a folder: files over HTTP and gRPC, resumable uploads (tus and the IETF's draft).")
        {
            help, folder,
        };
        set.AddTo(command);
        command.SetAction(parsed =>
            ServeRunner.RunAsync(set.Read(parsed, parsed.GetValue(folder)!)).GetAwaiter().GetResult());
        return command;
    }
}
