using System.CommandLine;
using System.Reflection;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The names of settings in the server's messages when `millrace serve` runs it.</summary>
public sealed class SettingNameTests
{
    private static readonly Argument<string> Folder = new("FOLDER");

    [Fact]
    public void Every_name_replaces_a_member_of_the_library_by_an_option_or_a_command()
    {
        System.CommandLine.Command command = Command(out ServeOptionSet set);
        IReadOnlyDictionary<string, string> names = Read(command, set, "/srv/files");

        Assert.NotEmpty(names);
        Assert.All(names, name =>
        {
            string[] member = name.Key.Split('.');
            Type? type = typeof(TransferServer).Assembly.GetType($"Millrace.Transfer.Server.{member[0]}");
            Assert.NotEmpty(type?.GetMember(member[1], BindingFlags.Public | BindingFlags.Instance) ?? []);
            Assert.True(
                name.Value.StartsWith("'millrace ", StringComparison.Ordinal)
                    || command.Options.Any(option => option.Name == name.Value),
                name.Value);
        });
    }

    [Theory]
    [InlineData("--folder /srv/files'", "/srv/files")]
    [InlineData("--folder s3://bucket/a' and name it with --s3-tokens", "s3://bucket/a")]
    [InlineData("--tokens FILE'", "/srv/files", "--tokens", "missing")]
    public void Command_that_creates_a_token_names_where_the_server_reads_it(string end, string folder, params string[] arguments)
    {
        System.CommandLine.Command command = Command(out ServeOptionSet set);
        Assert.Equal(
            $"'millrace token add NAME {end}", Read(command, set, folder, arguments)["TokenStore.AddAsync"]);
    }

    private static System.CommandLine.Command Command(out ServeOptionSet set)
    {
        set = new ServeOptionSet();
        var command = new System.CommandLine.Command("serve");
        set.AddTo(command, Folder);
        return command;
    }

    private static IReadOnlyDictionary<string, string> Read(
        System.CommandLine.Command command, ServeOptionSet set, string folder, params string[] arguments) =>
        set.Read(command.Parse(arguments), folder).SettingNames;
}
