using System.Text;
using System.Text.Json.Nodes;

namespace Millrace.Lab.Tests.Results;

/// <summary>Files that no run wrote, or that something happened to.</summary>
public sealed class DamagedResultsTests : FolderTests
{
    private readonly string _valid;

    public DamagedResultsTests()
    {
        string path = Folder["valid.json"];
        ResultsFile.Write(path, Fixture.Run(Fixture.Case("FileStreamSync", 4096, 10), Fixture.Case("FilePipe", 4096, 5)));
        _valid = File.ReadAllText(path);
        File.Delete(path);
    }

    [Theory]
    [InlineData("", "is empty")]
    [InlineData(" \n", "is empty")]
    [InlineData("[1, 2]", "not a results file")]
    [InlineData("{\"name\": \"other\"}", "no field \"schema\"")]
    [InlineData("{\"schema\": 5}", "the schema \"5\"")]
    [InlineData("{\"schema\": \"millrace.results/2\", \"cases\": 7}", "update millrace")]
    [InlineData("{\"schema\": \"other/1\"}", "Another program")]
    [InlineData("{\"schema\": \"millrace.results/9\"}", "millrace.results/9")]
    [InlineData("{\"schema\": \"millrace.results/1\"}", "damaged")]
    [InlineData("{", "damaged")]
    [InlineData("null", "holds no results")]
    [InlineData("this is text", "line 1")]
    public void Content_that_is_not_a_results_file_is_rejected_with_the_reason(string content, string problem) =>
        AssertRefused(content, problem);

    [Fact]
    public void Truncated_file_names_the_line_where_it_ends()
    {
        int end = _valid.IndexOf("\"wallNs\"", StringComparison.Ordinal);
        int lines = _valid[..end].Count(character => character == '\n') + 1;
        AssertRefused(_valid[..end], $"line {lines}");
    }

    [Theory]
    [InlineData("machine.cores", "\"many\"", "$.machine.cores")]
    [InlineData("cases[1].samples.wallNs", "[1, \"x\"]", "$.cases[1].samples.wallNs[1]")]
    [InlineData("cases[1].samples.wallNs", "null", "wallNs")]
    [InlineData("cases[0].parameters", "null", "parameters")]
    [InlineData("cases[0].samples.launch", "[0]", "cases[0].samples.launch has 1 entries and cases[0].samples.wallNs 2")]
    [InlineData("cases[1].samples.readCalls", "[1, 2, 3]", "cases[1].samples.readCalls has 3 entries")]
    [InlineData("cases[1].samples.wallNs", "[1, -2]", "cases[1].samples.wallNs[1] has the invalid value -2")]
    [InlineData("cases[1].samples.wallNs", "[1, 1e999]", "cases[1].samples.wallNs[1]")]
    [InlineData("cases[0].samples.unverified", "[2]", "cases[0].samples.unverified refers to sample 2 of 2")]
    [InlineData("cases[1]", "null", "cases[1] is null")]
    [InlineData("noise[0]", "null", "noise[0] is null")]
    [InlineData("noise[0].deviation", "-1", "noise[0].deviation")]
    [InlineData("cases[1].method", "\"FileStreamSync\"", "once more")]
    [InlineData("started", "\"yesterday\"", "$.started")]
    [InlineData("durationSeconds", "1e200", "the number 1e200")]
    public void Damaged_field_is_named(string field, string value, string problem)
    {
        AssertRefused(With(field, JsonNode.Parse(value.Replace("1e999", "123456789", StringComparison.Ordinal)))
            .Replace("123456789", "1e999", StringComparison.Ordinal), problem);
    }

    [Theory]
    [InlineData("suite")]
    [InlineData("machine")]
    [InlineData("cases")]
    public void Missing_required_field_is_named(string field)
    {
        JsonObject root = JsonNode.Parse(_valid)!.AsObject();
        root.Remove(field);
        AssertRefused(root.ToJsonString(), $"'{field}'");
    }

    [Fact]
    public void Lists_that_an_older_file_does_not_have_are_empty()
    {
        JsonObject root = JsonNode.Parse(_valid)!.AsObject();
        foreach (string field in new[] { "launches", "meterCosts", "absent", "warnings", "noise", "bars" })
        {
            root.Remove(field);
        }

        root["engine"]!.AsObject().Remove("runtimeSettings");
        LabResults results = ResultsFile.Read(Folder.Write("old.json", root.ToJsonString()));
        Assert.Empty(results.Launches);
        Assert.Empty(results.Noise);
        Assert.Empty(results.Engine.RuntimeSettings);
    }

    [Fact]
    public void Whatever_happens_to_a_file_the_message_names_it()
    {
        var random = new Random(7);
        byte[] content = Encoding.UTF8.GetBytes(_valid);
        StoredRun valid = new("valid.json", ResultsFile.Read(Folder.Write("valid.json", _valid)));
        string path = Folder["fuzzed.json"];
        int refused = 0;
        for (int i = 0; i < 1500; i++)
        {
            File.WriteAllBytes(path, Mutate(content, random));
            try
            {
                // A document that is read can be used.
                var run = new StoredRun(path, ResultsFile.Read(path));
                RunComparer.Compare(valid, run, new ComparisonOptions { Metrics = Metrics.All });
                RunComparer.Compare(run, valid, new ComparisonOptions { By = ComparisonBasis.Ratio });
            }
            catch (LabException exception)
            {
                refused++;
                Assert.Contains(path, exception.Message, StringComparison.Ordinal);
            }
        }

        Assert.InRange(refused, 700, 1500);
    }

    [Fact]
    public void Damaged_files_are_reported_and_the_others_are_used()
    {
        Folder.Write("one.json", _valid);
        Folder.Write("broken.json", _valid[..1000]);
        Folder.Write("newer.json", "{\"schema\": \"millrace.results/2\"}");
        Folder.Write(Path.Combine("deep", "results.json"), _valid.Replace("2026-01-02", "2025-01-02", StringComparison.Ordinal));
        ResultsFolder all = ResultsFolder.ReadAll(Folder.Path);
        Assert.Equal(["results.json", "one.json"], all.Runs.Select(run => Path.GetFileName(run.Path)));
        Assert.Equal(2, all.Problems.Count);
        Assert.Contains(all.Problems, problem => problem.Contains("broken.json", StringComparison.Ordinal));
        Assert.Contains(all.Problems, problem => problem.Contains("newer.json", StringComparison.Ordinal));
        Assert.Single(ResultsFolder.ReadRun(Folder.Path).Runs);
        Assert.Contains("one.json", Assert.Single(ResultsFolder.ReadRun(Folder["one.json"]).Runs).Path, StringComparison.Ordinal);
    }

    [Fact]
    public void Folder_without_results_and_a_path_that_is_not_there_are_named()
    {
        string empty = Directory.CreateDirectory(Folder["empty"]).FullName;
        foreach (string path in new[] { empty, Folder["missing"] })
        {
            Assert.Contains(path, Assert.Single(ResultsFolder.ReadRun(path).Problems), StringComparison.Ordinal);
            Assert.Contains(path, Assert.Single(ResultsFolder.ReadAll(path).Problems), StringComparison.Ordinal);
        }
    }

    private static byte[] Mutate(byte[] valid, Random random)
    {
        byte[] content = [.. valid];
        switch (random.Next(4))
        {
            case 0:
                return content[..random.Next(content.Length)];
            case 1:
                for (int i = random.Next(1, 5); i > 0; i--)
                {
                    content[random.Next(content.Length)] = (byte)random.Next(256);
                }

                return content;
            case 2:
                int from = random.Next(content.Length);
                return [.. content[..from], .. content[Math.Min(content.Length, from + random.Next(1, 200))..]];
            default:
                string[] values = ["null", "-1", "1e999", "[]", "{}", "\"x\"", "99999999999999999999", "true"];
                string text = Encoding.UTF8.GetString(content);
                int colon = text.IndexOf(':', random.Next(text.Length - 100));
                int end = text.IndexOfAny([',', '\n'], colon < 0 ? 0 : colon);
                return colon < 0 ? content : Encoding.UTF8.GetBytes(text[..(colon + 1)] + values[random.Next(values.Length)] + text[end..]);
        }
    }

    private string With(string field, JsonNode? value)
    {
        JsonNode root = JsonNode.Parse(_valid)!;
        JsonNode node = root;
        string[] steps = field.Replace("[", ".[", StringComparison.Ordinal).Split('.');
        foreach (string step in steps[..^1])
        {
            node = step[0] == '[' ? node[int.Parse(step[1..^1])]! : node[step]!;
        }

        if (steps[^1][0] == '[')
        {
            node[int.Parse(steps[^1][1..^1])] = value;
        }
        else
        {
            node[steps[^1]] = value;
        }

        return root.ToJsonString();
    }

    private void AssertRefused(string content, string problem)
    {
        string path = Folder.Write("results.json", content);
        LabException exception = Assert.Throws<LabException>(() => ResultsFile.Read(path));
        Assert.Contains(path, exception.Message, StringComparison.Ordinal);
        Assert.Contains(problem, exception.Message, StringComparison.Ordinal);
    }
}
