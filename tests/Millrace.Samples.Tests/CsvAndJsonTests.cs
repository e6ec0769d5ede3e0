using System.Text.Json;

namespace Millrace.Samples.Tests;

public sealed class CsvAndJsonTests : FolderTests
{
    [Fact]
    public async Task Csv_becomes_json_and_json_the_same_csv()
    {
        string csv = "id,place,note\n" + string.Concat(Enumerable.Range(0, 20_000).Select(row => $"{row},Zürich 京,\"ride, \"\"{row}\"\"\"\n"));
        string from = Folder.Write("rides.csv", csv);

        Assert.Equal((0, "", ""), await Sample.RunAsync("CsvToJson", from, Folder["rides.json"]));
        Assert.Equal((0, "", ""), await Sample.RunAsync("JsonToCsv", Folder["rides.json"], Folder["again.csv"]));

        using var json = JsonDocument.Parse(await File.ReadAllBytesAsync(Folder["rides.json"]));
        Assert.Equal(20_000, json.RootElement.GetArrayLength());
        Assert.Equal("ride, \"19999\"", json.RootElement[19_999].GetProperty("note").GetString());
        Assert.Equal(csv, (await File.ReadAllTextAsync(Folder["again.csv"])).ReplaceLineEndings("\n"));
    }

    [Theory]
    [InlineData("CsvToJson", "id,note\n1,a\"b\n")]
    [InlineData("CsvToJson", "id,note\n1\n")]
    [InlineData("CsvToJson", "id,id\n1,2\n")]
    [InlineData("CsvToJson", "")]
    [InlineData("JsonToCsv", "[{\"id\":1},{\"id\":")]
    [InlineData("JsonToCsv", "[null]")]
    public async Task A_malformed_file_is_an_error_and_leaves_the_old_result(string sample, string text)
    {
        string to = Folder.Write("to", "old");

        (int exitCode, string output, string error) = await Sample.RunAsync(sample, Folder.Write("from", text), to);

        Assert.Equal((1, ""), (exitCode, output));
        Assert.NotEmpty(error);
        Assert.Equal("old", await File.ReadAllTextAsync(to));
    }
}
